/** Encodes bytes as base64url without padding (RFC 4648, section 5). */
export function toBase64Url(bytes: Uint8Array): string {
  let binary = ''
  for (const byte of bytes) binary += String.fromCharCode(byte)
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

const encoder = new TextEncoder()

/**
 * Encrypts a text with AES-256-GCM under a key derived from `secret` (PBKDF2-SHA-256, random salt). Returns
 * `salt.iv.ciphertext` in base64url.
 */
export async function encrypt(text: string, secret: string): Promise<string> {
  const salt = crypto.getRandomValues(new Uint8Array(16))
  const iv = crypto.getRandomValues(new Uint8Array(12))
  const sealed = await crypto.subtle.encrypt(
    { name: 'AES-GCM', iv },
    await deriveKey(secret, salt),
    encoder.encode(text),
  )
  return [salt, iv, new Uint8Array(sealed)].map(toBase64Url).join('.')
}

/** Reverses {@link encrypt}. Returns undefined if `secret` is different or the text was changed. */
export async function decrypt(sealed: string, secret: string): Promise<string | undefined> {
  try {
    const [salt, iv, content] = sealed.split('.').map(fromBase64Url) as [Bytes, Bytes, Bytes]
    const text = await crypto.subtle.decrypt({ name: 'AES-GCM', iv }, await deriveKey(secret, salt), content)
    return new TextDecoder().decode(text)
  } catch {
    return undefined
  }
}

type Bytes = Uint8Array<ArrayBuffer>

function fromBase64Url(text: string): Bytes {
  return Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (char) => char.charCodeAt(0))
}

async function deriveKey(secret: string, salt: Bytes): Promise<CryptoKey> {
  const material = await crypto.subtle.importKey('raw', encoder.encode(secret), 'PBKDF2', false, [
    'deriveKey',
  ])
  const derivation = { name: 'PBKDF2', hash: 'SHA-256', salt, iterations: 100_000 }
  return crypto.subtle.deriveKey(derivation, material, { name: 'AES-GCM', length: 256 }, false, [
    'encrypt',
    'decrypt',
  ])
}
