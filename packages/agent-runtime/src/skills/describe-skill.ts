import type { JsonObject, Skill } from '@homeward/contract/agent-platform'
import { checkConfig } from './config-schema.ts'
import type { SkillConfigs } from './skill-configs.ts'
import type { DisabledTools, LoadedSkill } from './skill-library.ts'

/** What a description is made of besides the skill. */
export interface SkillDescriberOptions {
  readonly configs: SkillConfigs
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly disabledTools: DisabledTools
}

/** Describes a skill as `GET /api/skills` shows it: what it can do now, and what it lacks. */
export type DescribeSkill = (skill: LoadedSkill) => Promise<Skill>

/** Makes the function that reads once what describing some skills takes, and then describes each of them. */
export function createSkillDescriber(
  options: SkillDescriberOptions,
): (skills: readonly LoadedSkill[]) => Promise<DescribeSkill> {
  return async (skills) => {
    const configs = await options.configs.readAll(skills.map(({ id }) => id))
    const disabled = await options.disabledTools(skills, configs)
    return async (skill) => {
      const config = configs.get(skill.id) ?? {}
      const off = disabled.get(skill.id) ?? []
      const isGiven = (name: string) => Boolean(options.environment[name]) || Boolean(config[name])
      const missing = skill.requiredEnv.filter((name) => !isGiven(name))
      return {
        id: skill.id,
        name: skill.name,
        description: skill.description,
        ...(skill.version !== undefined && { version: skill.version }),
        tools: skill.tools.map(({ id }) => id).filter((id) => !off.some((tool) => tool.id === id)),
        ...(off.length > 0 && { disabled_tools: off.map((tool) => ({ ...tool })) }),
        required_env: [...skill.requiredEnv],
        missing_env: missing,
        configured: missing.length === 0 && (await isValid(skill, config)),
      }
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
