import type { Json } from '@homeward/contract/agent-platform'
import { parseExactJson } from '@homeward/kit'

/**
 * The value of a JSON text from elsewhere; undefined if it is not JSON. Integers that a JavaScript number would round become
 * the text of their digits.
 */
export function parseJson(text: string): Json | undefined {
  try {
    return parseExactJson(text) as Json // what JSON.parse gives
  } catch {
    return undefined
  }
}
