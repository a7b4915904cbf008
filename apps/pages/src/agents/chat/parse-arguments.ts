import type { JsonObject } from '@homeward/contract/agent-platform'

/** Reads the arguments that a person typed. `problem` says what is wrong with them. */
export function parseArguments(text: string): { readonly args: JsonObject } | { readonly problem: string } {
  try {
    const given: unknown = JSON.parse(text)
    if (typeof given !== 'object' || given === null || Array.isArray(given)) {
      return { problem: 'The arguments must be one JSON object.' }
    }
    return { args: given as JsonObject } // what JSON.parse gives is JSON
  } catch {
    return { problem: 'The arguments are not valid JSON. Check commas, quotes and brackets.' }
  }
}
