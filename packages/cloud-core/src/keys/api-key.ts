import { encrypt, toBase64Url } from '@homeward/kit'
import { sha256 } from '@noble/hashes/sha2.js'
import { utf8ToBytes } from '@noble/hashes/utils.js'
import type { StoredKey } from '../ports/device-store.ts'

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

/** What keys start with that devices make for themselves, whatever the cloud's own start with (C28). */
const enrolledKeyPrefix = 'hw'

/** Whether text can be a key that the cloud gave out, or that a device made. */
export function canBeApiKey(text: string, prefix: string): boolean {
  return isApiKey(text, prefix) || (prefix !== enrolledKeyPrefix && isApiKey(text, enrolledKeyPrefix))
}

/** The key as it lies at rest. */
export async function toStoredKey(apiKey: string, keySecret: string | undefined): Promise<StoredKey> {
  const sealed = keySecret === undefined ? null : await encrypt(apiKey, keySecret)
  return {
    hash: hashText(apiKey),
    hint: `${apiKey.slice(0, apiKey.indexOf('_') + 1)}…${apiKey.slice(-4)}`,
    sealed,
  }
}
