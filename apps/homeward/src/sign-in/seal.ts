import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

const algorithm = 'aes-256-gcm'
const ivBytes = 12
const tagBytes = 16

/** Encrypts values for the browser, which can neither read nor change them. */
export interface Seal {
  /**
   * Encrypts a value.
   *
   * @param purpose Only {@link open} with the same purpose accepts the text.
   * @returns base64url
   */
  seal(purpose: string, value: object): string
  /** Decrypts a text of {@link seal}. @returns undefined for any other text */
  open(purpose: string, text: string): unknown
}

/** Creates a seal: AES-256-GCM with a key that is derived from the secret. */
export function createSeal(secret: string): Seal {
  const key = new Uint8Array(hkdfSync('sha256', secret, '', 'homeward sign-in', 32))

  return {
    seal(purpose, value) {
      const iv = randomBytes(ivBytes)
      const cipher = createCipheriv(algorithm, key, iv, { authTagLength: tagBytes })
      cipher.setAAD(Buffer.from(purpose))
      const content = [cipher.update(JSON.stringify(value), 'utf8'), cipher.final()]
      return Buffer.concat([iv, ...content, cipher.getAuthTag()]).toString('base64url')
    },
    open(purpose, text) {
      const bytes = Buffer.from(text, 'base64url')
      // One value has one text: Node also decodes texts whose last character has extra bits.
      if (bytes.length < ivBytes + tagBytes || bytes.toString('base64url') !== text) return undefined
      const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, ivBytes), {
        authTagLength: tagBytes,
      })
      decipher.setAAD(Buffer.from(purpose))
      decipher.setAuthTag(bytes.subarray(-tagBytes))
      try {
        const content = [decipher.update(bytes.subarray(ivBytes, -tagBytes)), decipher.final()]
        return JSON.parse(Buffer.concat(content).toString('utf8')) as unknown
      } catch {
        return undefined
      }
    },
  }
}
