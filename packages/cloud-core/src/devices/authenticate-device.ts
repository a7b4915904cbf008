import { HttpError, rateLimited, type RequestView } from '@homeward/contract/handler'
import type { CloudContext } from '../cloud-context.ts'
import { createTokenBuckets } from '../limits/token-buckets.ts'
import type { StoredDevice } from '../ports/device-store.ts'
import { hashText, isApiKey } from './api-key.ts'

const invalidKey = () =>
  new HttpError(401, { error: 'Invalid or missing API key' }, { 'www-authenticate': 'Bearer' })

/**
 * Finds the device that calls (interface document, "Authentication"; C12, C14, C15).
 *
 * A key that cannot be one, and any key that never worked from an address with too many failures, is refused before
 * the storage is touched. A key that worked before is looked up all the same: neighbours do not lock each other out.
 */
export function createDeviceAuthentication(context: CloudContext) {
  const { store, keys, now, keyPrefix, clientAddress } = context
  const failures = createTokenBuckets({ perSecond: 1, burst: 60 })

  function refuse(address: string, atMs: number): never {
    const waitMs = failures.take(address, atMs)
    if (waitMs > 0) throw rateLimited('Too many requests with an invalid API key from this address.', waitMs)
    throw invalidKey()
  }

  async function lookUp(hash: string, address: string, atMs: number): Promise<StoredDevice> {
    if (!keys.wasKnown(hash) && !failures.has(address, atMs)) refuse(address, atMs)
    const version = keys.version
    const found = await store.findDeviceByKeyHash(hash, new Date(atMs).toISOString())
    if (version === keys.version) keys.set(hash, found?.device, found?.match ?? 'current', atMs)
    if (!found) return refuse(address, atMs)
    if (found.match === 'current' && found.hasPreviousKey) {
      const retired = await store.retirePreviousKey(found.device.id, hash)
      if (retired !== undefined) keys.forget([retired])
    }
    return found.device
  }

  return (request: RequestView): StoredDevice | Promise<StoredDevice> => {
    const atMs = now()
    const address = clientAddress(request)
    const apiKey = /^Bearer +(\S+) *$/i.exec(request.header('authorization') ?? '')?.[1]
    if (apiKey === undefined || !isApiKey(apiKey, keyPrefix)) return refuse(address, atMs)
    const hash = hashText(apiKey)
    const cached = keys.get(hash, atMs)
    if (cached === null) return refuse(address, atMs)
    return cached ?? lookUp(hash, address, atMs)
  }
}
