import type { JsonObject, SkillDetails } from '@homeward/contract/agent-platform'

type Needs = Pick<SkillDetails, 'required_env' | 'base_host'>

/** Whether there is anything to configure about a skill that has no schema. */
export function needsConfig({ required_env: names, base_host: host }: Needs): boolean {
  return names.length > 0 || host !== undefined
}

/**
 * A schema for a skill that has none: its config may hold the environment variables that it names, and where its HTTP
 * tools go. What the server shows as text is no secret, every other variable may be one.
 */
export function toEnvironmentSchema(
  { required_env: names, base_host: host }: Needs,
  config: JsonObject,
): JsonObject {
  const variables = names.map((name) => {
    const isShown = typeof config[name] === 'string'
    return [name, { type: 'string', ...(!isShown && { format: 'password' }) }] as const
  })
  const properties = Object.fromEntries(variables)
  return { type: 'object', properties: host === undefined ? properties : { base, ...properties } }
}

const base = {
  type: 'string',
  title: 'Address',
  description:
    "Base address of its tools, such as https://service.example/v1, instead of the skill's own address",
}
