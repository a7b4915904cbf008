import { DeviceCloudError } from '../device-cloud-error.ts'

/** How much an outbox keeps. */
interface OutboxLimits {
  readonly maxEntries: number
  readonly maxBytes: number
}

/**
 * Throws when an outbox has no room for an entry, before anything of it is changed.
 *
 * @param sizes bytes of each entry that it keeps, by a name; an entry of the same name gives its place up.
 * @throws {DeviceCloudError} `STATE_UNAVAILABLE`
 */
export function assertRoom(
  sizes: ReadonlyMap<string, number>,
  name: string,
  bytes: number,
  { maxEntries, maxBytes }: OutboxLimits,
): void {
  const before = sizes.get(name)
  let totalBytes = bytes - (before ?? 0)
  for (const size of sizes.values()) totalBytes += size
  if ((before !== undefined || sizes.size < maxEntries) && totalBytes <= maxBytes) return
  throw new DeviceCloudError(
    'STATE_UNAVAILABLE',
    `Storing a search in the outbox failed: the outbox is full (${sizes.size} entries). Let it drain, or raise "maxEntries" and "maxBytes".`,
  )
}
