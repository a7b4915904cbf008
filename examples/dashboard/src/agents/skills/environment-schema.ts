import type { JsonObject } from '@homeward/contract/agent-platform'

/**
 * A schema for a skill that has none and names environment variables: its config may hold them, too. What the server shows as
 * text is no secret, everything else may be one.
 */
export function toEnvironmentSchema(names: readonly string[], config: JsonObject): JsonObject {
  const properties = names.map((name) => {
    const isShown = typeof config[name] === 'string'
    return [name, { type: 'string', ...(!isShown && { format: 'password' }) }] as const
  })
  return { type: 'object', properties: Object.fromEntries(properties) }
}
