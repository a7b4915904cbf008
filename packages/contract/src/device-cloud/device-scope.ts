import * as z from 'zod/mini'
import type { DeviceMetadata } from './device-metadata.ts'
import { searchScope } from './search-scope.ts'

/** What helps people only: a value of another form is left out. */
const lenient = <Value>(schema: z.ZodMiniType<Value>) =>
  // oxlint-disable-next-line promise/valid-params -- not a promise
  z.catch(z.optional(schema), undefined)
const note = (max: number) => lenient(z.string().check(z.maxLength(max)))

/** A scope that a device declares in `metadata.scopes`, so that search forms can offer it. */
export const DeviceScope = z.object({
  name: searchScope,
  /** Name for people, at most 200 characters. */
  title: note(200),
  /** Meaning of the search text in this scope, at most 2,000 characters. */
  description: note(2000),
  /** JSON Schema of the scope's results. The cloud does not validate it. */
  schema: lenient(z.record(z.string(), z.unknown())),
})
export type DeviceScope = z.infer<typeof DeviceScope>

/** More than a device can be asked for at once. */
const maxScopes = 64

/**
 * Reads the scopes that a device declares in `metadata.scopes`, such as `[{name, title?, description?, schema?}]`.
 *
 * Metadata is not validated, so invalid entries, repeated names and entries after the first 64 are left out.
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
