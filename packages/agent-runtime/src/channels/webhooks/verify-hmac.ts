const algorithm = { name: 'HMAC', hash: 'SHA-256' } as const
const encoder = new TextEncoder()

/** HMAC-SHA256 of a content. @throws {RangeError} when the secret is empty */
export async function hmacSha256(secret: string, content: Uint8Array | string): Promise<Uint8Array> {
  if (secret === '') throw new RangeError('Signing failed: the secret must not be empty.')
  return new Uint8Array(await crypto.subtle.sign('HMAC', await toKey(secret, 'sign'), toBytes(content)))
}

/**
 * Whether a signature in hexadecimal digits is the HMAC-SHA256 of a content. Takes the same time wherever they
 * differ. False for an empty secret: what is not set proves nothing.
 */
export async function isHmacSha256(
  secret: string | undefined,
  content: Uint8Array | string,
  signature: string | undefined,
): Promise<boolean> {
  if (!secret || !signature || !/^[0-9a-f]{64}$/i.test(signature)) return false
  return crypto.subtle.verify('HMAC', await toKey(secret, 'verify'), fromHex(signature), toBytes(content))
}

/** Whether two secrets are the same, in constant time. False when either is empty or absent. */
export async function isSameSecret(
  given: string | undefined,
  expected: string | undefined,
): Promise<boolean> {
  if (!given || !expected) return false
  // equality of digests under a key that nobody knows: neither length nor common start can be measured
  const random = crypto.getRandomValues(new Uint8Array(32))
  const key = await crypto.subtle.importKey('raw', random, algorithm, false, ['sign', 'verify'])
  const digest = await crypto.subtle.sign('HMAC', key, encoder.encode(expected))
  return crypto.subtle.verify('HMAC', key, digest, encoder.encode(given))
}

/** Bytes of hexadecimal digits; the text must hold nothing else. */
export function fromHex(hex: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(hex.length / 2)
  for (let index = 0; index < bytes.length; index += 1) {
    bytes[index] = Number.parseInt(hex.slice(index * 2, index * 2 + 2), 16)
  }
  return bytes
}

/** Bytes as hexadecimal digits in lower case. */
export function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

async function toKey(secret: string, use: 'sign' | 'verify'): Promise<CryptoKey> {
  return crypto.subtle.importKey('raw', encoder.encode(secret), algorithm, false, [use])
}

function toBytes(content: Uint8Array | string): Uint8Array<ArrayBuffer> {
  return typeof content === 'string' ? encoder.encode(content) : new Uint8Array(content)
}
