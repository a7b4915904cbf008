import type { JsonObject, Skill } from '@homeward/contract/agent-platform'
import { checkConfig } from './config-schema.ts'
import type { SkillConfigs } from './skill-configs.ts'
import type { DisabledTool, LoadedSkill } from './skill-library.ts'

/** What a description is made of besides the skill. */
export interface SkillDescriberOptions {
  readonly configs: SkillConfigs
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly disabledTools: (skill: LoadedSkill) => Promise<readonly DisabledTool[]>
}

/** Describes skills as `GET /api/skills` shows them: what they can do now, and what they lack. */
export function createSkillDescriber(options: SkillDescriberOptions): (skill: LoadedSkill) => Promise<Skill> {
  return async (skill) => {
    const [config, disabled] = await Promise.all([
      options.configs.read(skill.id),
      options.disabledTools(skill),
    ])
    const isGiven = (name: string) => Boolean(options.environment[name]) || Boolean(config[name])
    const missing = skill.requiredEnv.filter((name) => !isGiven(name))
    const off = new Set(disabled.map(({ id }) => id))
    return {
      id: skill.id,
      name: skill.name,
      description: skill.description,
      ...(skill.version !== undefined && { version: skill.version }),
      tools: skill.tools.map(({ id }) => id).filter((id) => !off.has(id)),
      ...(disabled.length > 0 && { disabled_tools: disabled.map((tool) => ({ ...tool })) }),
      required_env: [...skill.requiredEnv],
      missing_env: missing,
      configured: missing.length === 0 && (await isValid(skill, config)),
    }
  }
}

async function isValid({ configSchema }: LoadedSkill, config: JsonObject): Promise<boolean> {
  if (!configSchema) return true
  return await checkConfig(configSchema, config).then(
    () => true,
    () => false,
  )
}
