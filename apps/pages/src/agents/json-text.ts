import type { JsonObject } from '@homeward/contract/agent-platform'

/** A JSON object as people edit it: indented. Empty for none. */
export function toJsonText(object: JsonObject | undefined): string {
  return object === undefined ? '' : JSON.stringify(object, undefined, 2)
}

/**
 * Reads a JSON object that a person typed.
 *
 * @returns null for an empty text
 * @throws {Error} that says what is wrong with the text
 */
export function parseJsonText(text: string): JsonObject | null {
  if (text.trim() === '') return null
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw new Error('The text is not valid JSON. Check commas, quotes and brackets.', { cause })
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonObject // it was JSON
  throw new Error('The text is not a JSON object. Put the object in braces: {…}.')
}

/** What is wrong with the text of a JSON object. */
export function jsonTextProblem(text: string): string | undefined {
  try {
    parseJsonText(text)
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
