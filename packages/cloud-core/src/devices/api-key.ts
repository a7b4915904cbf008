import { sha256 } from '@noble/hashes/sha2.js'
import { utf8ToBytes } from '@noble/hashes/utils.js'
import type { StoredKey } from '../ports/device-store.ts'

/** Base64url without padding (RFC 4648, section 5). */
export function toBase64Url(bytes: Uint8Array): string {
  let binary = ''
  for (const byte of bytes) binary += String.fromCharCode(byte)
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

/** SHA-256 of text, base64url: how API keys and idempotency keys are looked up. */
export function hashText(text: string): string {
  return toBase64Url(sha256(utf8ToBytes(text)))
}

/** An API key: `<prefix>_` and 256 random bits as 43 base64url characters (C14). */
export function createApiKey(prefix: string, randomBytes: (size: number) => Uint8Array): string {
  return `${prefix}_${toBase64Url(randomBytes(32))}`
}

/** Whether text can be an API key at all; what cannot be one never reaches the storage. */
export function isApiKey(text: string, prefix: string): boolean {
  return text.length === prefix.length + 44 && text.startsWith(`${prefix}_`) && /^[\w-]+$/.test(text)
}

/** The key as it lies at rest. */
export async function toStoredKey(apiKey: string, keySecret: string | undefined): Promise<StoredKey> {
  const sealed = keySecret === undefined ? null : await seal(apiKey, keySecret)
  return {
    hash: hashText(apiKey),
    hint: `${apiKey.slice(0, apiKey.indexOf('_') + 1)}…${apiKey.slice(-4)}`,
    sealed,
  }
}

const encoder = new TextEncoder()

/** AES-256-GCM under a key derived from `secret` (PBKDF2-SHA-256, random salt): `salt.iv.ciphertext`, base64url. */
export async function seal(text: string, secret: string): Promise<string> {
  const salt = crypto.getRandomValues(new Uint8Array(16))
  const iv = crypto.getRandomValues(new Uint8Array(12))
  const sealed = await crypto.subtle.encrypt(
    { name: 'AES-GCM', iv },
    await deriveKey(secret, salt),
    encoder.encode(text),
  )
  return [salt, iv, new Uint8Array(sealed)].map(toBase64Url).join('.')
}

/** Reverses {@link seal}; undefined when `secret` is another one or the text was changed. */
export async function unseal(sealed: string, secret: string): Promise<string | undefined> {
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
