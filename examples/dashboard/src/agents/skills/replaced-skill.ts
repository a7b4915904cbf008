import type { SkillCapabilities } from '@homeward/contract/agent-platform'
import { platform } from '../../api/platform.ts'
import { isBroken } from './skill-kinds.ts'

/** The version of a skill that an upload has replaced. */
export interface ReplacedSkill {
  readonly version: string | undefined
  readonly capabilities: SkillCapabilities
}

/** What usable skills ask for before an upload: which one it replaces shows only in its reply. */
export async function readInstalledSkills(): Promise<ReadonlyMap<string, ReplacedSkill>> {
  const { skills } = await platform.listSkills()
  const found = await Promise.all(
    skills
      .filter((skill) => !isBroken(skill))
      .map(async ({ id }) => {
        const { skill } = await platform.getSkill({ params: { id } })
        return isBroken(skill) ? undefined : skill
      }),
  )
  return new Map(
    found.flatMap((skill) =>
      skill ? [[skill.id, { version: skill.version, capabilities: skill.capabilities }] as const] : [],
    ),
  )
}

/** What the page of a skill was opened with after an upload. The browser keeps it over a reload. */
export function readReplaced(): ReplacedSkill | undefined {
  const state: unknown = history.state
  if (typeof state !== 'object' || state === null) return undefined
  return Reflect.get(state, 'replaced') as ReplacedSkill | undefined // only this page puts it there
}
