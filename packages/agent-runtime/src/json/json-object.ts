import type { Json, JsonObject } from '@homeward/contract/agent-platform'

/** Whether a value of JSON is an object: no list, and not null. */
export function isJsonObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
