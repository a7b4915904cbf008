import type { Json } from '@homeward/contract/agent-platform'

/** The result of a tool that a provider ran, without what only that provider can read. */
export function toReadableResult(result: Json): Json {
  if (Array.isArray(result)) return result.map(toReadableResult)
  if (typeof result !== 'object' || result === null) return result
  const shown = Object.entries(result).filter(([key]) => !key.startsWith('encrypted'))
  return Object.fromEntries(shown.map(([key, value]) => [key, toReadableResult(value)])) // of JSON
}
