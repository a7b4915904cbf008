import { foldCode } from '@homeward/kit'
import { randomInt } from 'node:crypto'

/** Letters and digits that nobody mistakes for another one: without I, L, O, 0 and 1. */
const alphabet = 'ABCDEFGHJKMNPQRSTUVWXYZ23456789'

/** Characters of a code. */
export const codeLength = 8

/** How long a code is valid, in milliseconds. A sender gets no other code before that. */
export const codeValidMs = 60 * 60 * 1000

/** A random code of 8 characters. */
export function createPairingCode(): string {
  return Array.from({ length: codeLength }, () => alphabet[randomInt(alphabet.length)]).join('')
}

/** A code as a person types it, as it is stored: uppercase, without spaces, dashes and other characters. */
export function toPairingCode(typed: string): string {
  return foldCode(typed, alphabet)
}
