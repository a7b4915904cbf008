import { HttpError, rateLimited, type RequestView } from '@homeward/contract/handler'
import type { DeviceContext } from './device-context.ts'
import { createGuessLimits, toLimitKey } from '@homeward/kit'
import type { StoredDevice } from '../ports/device-store.ts'
import { isRepeatedAuthorization, sendAuthorizationOnce } from '../keys/repeated-authorization.ts'
import { canBeApiKey, hashText } from '../keys/api-key.ts'

const invalidKey = (header: string) =>
  new HttpError(
    401,
    { error: 'Invalid or missing API key' },
    { 'www-authenticate': isRepeatedAuthorization(header) ? sendAuthorizationOnce : 'Bearer' },
  )

/**
 * Finds the device that calls (interface document, "Authentication"; C12, C14, C15).
 *
 * A key that cannot be one, and any key that never worked from an address with too many failures, is refused before
 * the storage is touched. A key that worked before is looked up all the same: neighbours do not lock each other out.
 * What worked is forgotten by a restart; then a key that comes back after its refusal is looked up too, at a pace.
 */
export function createDeviceAuthentication(context: DeviceContext) {
  const { store, keys, polls, now, keyPrefix } = context
  const addressOf = (request: RequestView) => toLimitKey(context.clientAddress(request))
  const limits = createGuessLimits((hash) => keys.wasKnown(hash))
  const hashes = createKeyHashes(context.maxCachedKeys)

  function refuse(address: string, atMs: number, header = ''): never {
    const waitMs = limits.fail(address, atMs)
    if (waitMs > 0) throw rateLimited('Too many requests with an invalid API key from this address.', waitMs)
    throw invalidKey(header)
  }

  async function lookUp(hash: string, address: string, atMs: number): Promise<StoredDevice> {
    if (!limits.mayLookUp(hash, address, atMs)) refuse(address, atMs)
    const version = keys.version
    const found = await store.findDeviceByKeyHash(hash, new Date(atMs).toISOString())
    if (version === keys.version) keys.set(hash, found?.device, found?.match ?? 'current', atMs)
    if (!found) {
      limits.noteUnknown(hash, atMs)
      return refuse(address, atMs)
    }
    if (found.match === 'current' && found.hasPreviousKey) {
      const retired = await store.retirePreviousKey(found.device.id, hash)
      if (retired !== undefined) {
        keys.forget([retired])
        polls.announce([found.device.id]) // those that came with it end
      }
    }
    return found.device
  }

  /** The hash of the key in an `Authorization` header; undefined when there is none, or it cannot be one. */
  function readHash(header: string): string | undefined {
    const apiKey = /^Bearer +(\S+) *$/i.exec(header)?.[1]
    return apiKey === undefined || !canBeApiKey(apiKey, keyPrefix) ? undefined : hashText(apiKey)
  }

  return (request: RequestView): StoredDevice | Promise<StoredDevice> => {
    const atMs = now()
    const header = request.header('authorization') ?? ''
    const hash = hashes.get(header) ?? readHash(header)
    if (hash === undefined) return refuse(addressOf(request), atMs, header)
    const cached = keys.get(hash, atMs)
    if (cached === null) return refuse(addressOf(request), atMs)
    if (cached === undefined) return lookUp(hash, addressOf(request), atMs)
    hashes.set(header, hash)
    return cached
  }
}

/** Hashes of the `Authorization` headers that worked, so that a device's next call is not hashed again. */
interface KeyHashes {
  get(header: string): string | undefined
  set(header: string, hash: string): void
}

/**
 * Creates the table. A hash never changes, so nothing in it can go stale: whether the key still works is asked
 * elsewhere, each time. Only headers of valid keys come in, and at the limit the oldest goes.
 */
export function createKeyHashes(maxHashes = 200_000): KeyHashes {
  const hashes = new Map<string, string>()
  return {
    get: (header) => hashes.get(header),
    set(header, hash) {
      if (hashes.has(header)) return
      if (hashes.size >= maxHashes) hashes.delete(hashes.keys().next().value!)
      hashes.set(header, hash)
    },
  }
}
