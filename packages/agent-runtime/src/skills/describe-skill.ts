import type { BrokenSkill, JsonObject, Skill } from '@homeward/contract/agent-platform'
import { RuntimeError } from '../ports/runtime-error.ts'
import { isRecentSchema } from '../json-schema/compile-schema.ts'
import { relaxSchema } from '../json-schema/relax-schema.ts'
import type { ToolDefinition } from './definitions/tool-definition.ts'
import { givenValue } from './find-credential.ts'
import type { ConfigCheck } from './config/config-check.ts'
import type { SkillConfigs } from './config/skill-configs.ts'
import type { DisabledTools, LoadedSkill } from './skill-library.ts'

/** What a description is made of besides the skill. */
interface SkillDescriberOptions {
  readonly configs: SkillConfigs
  readonly checkConfig: ConfigCheck
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly disabledTools: DisabledTools
}

/** Describes a skill as `GET /api/skills` shows it: what it can do now, and what it lacks; or why it cannot be used. */
type DescribeSkill = (skill: LoadedSkill) => Promise<Skill | BrokenSkill>

/** Makes the function that reads once what describing some skills takes, and then describes each of them. */
export function createSkillDescriber(
  options: SkillDescriberOptions,
): (skills: readonly LoadedSkill[]) => Promise<DescribeSkill> {
  return async (skills) => {
    const read = await options.configs.readAll(skills.map(({ id }) => id))
    const usable = skills.filter(({ id }) => !RuntimeError.is(read.get(id)))
    const configs = new Map(usable.map(({ id }) => [id, read.get(id) as JsonObject])) // the others were left out
    const disabled = await options.disabledTools(usable, configs)
    return async (skill) => {
      const { id } = skill
      const config = read.get(id) ?? {}
      if (RuntimeError.is(config)) return { id, error: config.message }
      const off = disabled.get(id) ?? []
      const unchecked = skill.tools.flatMap((tool) => uncheckedOf(tool))
      const sources = { environment: options.environment, config }
      const missing = skill.requiredEnv.filter((name) => givenValue(name, sources) === '')
      return {
        id,
        name: skill.name,
        description: skill.description,
        ...(skill.version !== undefined && { version: skill.version }),
        tools: skill.tools.map((tool) => tool.id).filter((tool) => !off.some((other) => other.id === tool)),
        ...(off.length > 0 && { disabled_tools: off.map((tool) => ({ ...tool })) }),
        ...(unchecked.length > 0 && { unchecked_tools: unchecked }),
        required_env: [...skill.requiredEnv],
        missing_env: missing,
        configured: missing.length === 0 && (await isValid(skill, config, options.checkConfig)),
      }
    }
  }
}

/** Which rules of a tool's JSON Schema are not checked before a call. */
function uncheckedOf({ id, inputSchema }: ToolDefinition): { id: string; reason: string }[] {
  const { skippedRanges } = relaxSchema(inputSchema, isRecentSchema(inputSchema))
  if (skippedRanges.size === 0) return []
  const names = [...skippedRanges].map((name) => JSON.stringify(name)).join(', ')
  return [{ id, reason: `rules of its JSON Schema cannot be checked: ${names}` }]
}

async function isValid(
  { configSchema }: LoadedSkill,
  config: JsonObject,
  checkConfig: ConfigCheck,
): Promise<boolean> {
  if (!configSchema) return true
  return await checkConfig(configSchema, config).then(
    () => true,
    () => false,
  )
}
