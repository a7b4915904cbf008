import type { Json } from '@homeward/contract/agent-platform'

/** The value of a JSON text that comes from elsewhere; undefined when it is none. */
export function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json // what JSON.parse gives
  } catch {
    return undefined
  }
}
