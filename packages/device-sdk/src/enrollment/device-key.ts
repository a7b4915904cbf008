import { Secret } from '../secret.ts'

/**
 * Creates an API key for this device: `hw_` and 43 characters of base64url (32 random bytes).
 *
 * Store the key before you enroll, so that the device still has it after a crash. In Node, `createKeyFile` of
 * `@homeward/device-sdk/node` does both.
 *
 * @param randomBytes @default 32 bytes of `crypto.getRandomValues`
 * @throws {RangeError} if there are not 32 bytes.
 * @example
 * const key = createDeviceKey()
 * await keyStore.set('device-key', key.reveal()) // a place of yours that survives a crash
 * await enrollDevice({ ...who, baseUrl, apiKey: key })
 */
export function createDeviceKey(randomBytes = crypto.getRandomValues(new Uint8Array(32))): Secret {
  const { length } = randomBytes
  if (length !== 32)
    throw new RangeError(`Creating a device key failed: "randomBytes" must have 32 bytes, got ${length}.`)
  const text = btoa(String.fromCharCode(...randomBytes))
  return new Secret(`hw_${text.replaceAll('+', '-').replaceAll('/', '_').replace('=', '')}`)
}

/** SHA-256 of a key, as the lowercase hex that an enrollment sends. */
export async function hashDeviceKey(key: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(key))
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
