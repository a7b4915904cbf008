import { foldCode, toBase64Url } from '@homeward/kit'
import { hmac } from '@noble/hashes/hmac.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { utf8ToBytes } from '@noble/hashes/utils.js'
import type { EnrollmentStore } from '../ports/enrollment-store.ts'

/** Letters and digits that nobody confuses: without `0 O 1 I L U`. */
const alphabet = '23456789ABCDEFGHJKMNPQRSTVWXYZ'
const codeLength = 8
const isCode = new RegExp(`^[${alphabet}]{${codeLength}}$`)
/** Multiples of the alphabet that fit into a byte: bytes above would make some letters more likely. */
const fairBytes = 256 - (256 % alphabet.length)

/** The codes that devices show and users enter. Nothing stores one: a code is made again wherever it is needed. */
export interface UserCodes {
  /** The code of a key that enrolled at a time, as `XXXX-XXXX`: the same in every process, and after a restart. */
  of(keyHash: string, createdAt: string): Promise<string>
  /** What a code is found by; undefined for text that cannot be one. Case and what is not of the alphabet do not matter. */
  hash(text: string): Promise<string | undefined>
}

/** Derives codes by a secret of the storage, so that nobody can guess them who knows what they are made of (C28). */
export function createUserCodes(
  store: Pick<EnrollmentStore, 'ensureSecret'>,
  randomBytes: (size: number) => Uint8Array,
): UserCodes {
  let secret: Promise<Uint8Array> | undefined

  async function readSecret(): Promise<Uint8Array> {
    secret ??= store.ensureSecret('user-codes', toBase64Url(randomBytes(32))).then(utf8ToBytes)
    try {
      return await secret
    } catch (error) {
      secret = undefined
      throw error
    }
  }

  return {
    async of(keyHash, createdAt) {
      const code = toLetters(await readSecret(), `${keyHash} ${createdAt}`)
      return `${code.slice(0, codeLength / 2)}-${code.slice(codeLength / 2)}`
    },
    async hash(text) {
      const code = foldCode(text, alphabet)
      if (!isCode.test(code)) return undefined
      return toBase64Url(hmac(sha256, await readSecret(), utf8ToBytes(code)))
    },
  }
}

function toLetters(secret: Uint8Array, text: string): string {
  let letters = ''
  for (let round = 0; ; round += 1) {
    for (const byte of hmac(sha256, secret, utf8ToBytes(`${text} ${round}`))) {
      if (byte >= fairBytes) continue
      letters += alphabet[byte % alphabet.length]
      if (letters.length === codeLength) return letters
    }
  }
}
