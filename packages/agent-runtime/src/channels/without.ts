import type { JsonObject } from '@homeward/contract/agent-platform'

/** The same object without one of its fields. */
export function without(object: JsonObject, field: string): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([name]) => name !== field))
}
