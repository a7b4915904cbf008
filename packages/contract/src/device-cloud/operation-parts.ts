import * as z from 'zod/mini'
import { DeviceFilter } from './device-filter.ts'
import { Id } from './text.ts'

/** Devices that an operation is about: 1 to 1,000. */
const deviceIds = z.array(Id).check(z.minLength(1), z.maxLength(1000))

/** Which devices an operation is about: some by their ids, or all that a filter matches. */
export const targets = { deviceIds: z.optional(deviceIds), filter: z.optional(DeviceFilter) }

/** Check of a body with {@link targets}: it must have exactly one of them. */
export const hasOneTarget = z.refine(
  (body) => {
    const { deviceIds: ids, filter } = body as { readonly deviceIds?: unknown; readonly filter?: unknown } // targets
    return (ids === undefined) !== (filter === undefined)
  },
  { error: 'must be given, or filter, but not both', path: ['deviceIds'] },
)
