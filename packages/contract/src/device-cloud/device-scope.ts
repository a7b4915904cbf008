import * as z from 'zod/mini'
import type { DeviceMetadata } from './device-metadata.ts'
import { searchScope } from './search-scope.ts'

/** What helps people only: a value of another form is left out. */
const lenient = <Value>(schema: z.ZodMiniType<Value>) =>
  // oxlint-disable-next-line promise/valid-params -- not a promise
  z.catch(z.optional(schema), undefined)
const note = (max: number) => lenient(z.string().check(z.maxLength(max)))

/** A scope that a device declares in `metadata.scopes`, so that forms can offer it. */
export const DeviceScope = z.object({
  name: searchScope,
  /** What people read instead of the name, at most 200 characters. */
  title: note(200),
  /** What the search text means in this scope, at most 2,000 characters. */
  description: note(2000),
  /** JSON Schema of what the scope gives. Not checked here. */
  schema: lenient(z.record(z.string(), z.unknown())),
})
export type DeviceScope = z.infer<typeof DeviceScope>

/** More than a device can be asked for at once. */
const maxScopes = 64

/**
 * Reads the scopes that a device declares: `metadata.scopes: [{name, title?, description?, schema?}]`. Metadata is free, so
 * entries of another form are left out, and so are repeated names and entries after the first 64.
 *
 * @example
 * readDeviceScopes({ scopes: [{ name: 'files' }, { name: 'printers', title: 'Printers' }] })
 */
export function readDeviceScopes({ scopes }: DeviceMetadata): DeviceScope[] {
  const found = new Map<string, DeviceScope>()
  for (const given of Array.isArray(scopes) ? scopes.slice(0, maxScopes) : []) {
    const { data } = z.safeParse(DeviceScope, given)
    if (data && !found.has(data.name)) found.set(data.name, data)
  }
  return [...found.values()]
}
