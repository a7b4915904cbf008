import type { BrokenSkill } from '@homeward/contract/agent-platform'
import type { ScannedSkill } from './scan-skills.ts'
import type { LoadedSkill, SkillSnapshot } from './skill-library.ts'

/** Gives the skills of a folder as they are now: the very same snapshot for as long as `scan` gives the same list. */
export function createSnapshots(
  scan: () => Promise<readonly ScannedSkill[]>,
  reserved: ReadonlySet<string>,
): () => Promise<SkillSnapshot> {
  let last: { readonly scanned: readonly ScannedSkill[]; readonly snapshot: SkillSnapshot } | undefined
  return async () => {
    const scanned = await scan()
    if (last?.scanned !== scanned) last = { scanned, snapshot: takeSnapshot(scanned, reserved) }
    return last.snapshot
  }
}

/**
 * Puts skills together that can be used together: a tool id is unique across all of them, and where two skills have
 * the same one, the second by name is off (A15).
 *
 * @param reserved Ids that no skill may use: the built-in tools.
 */
function takeSnapshot(scanned: readonly ScannedSkill[], reserved: ReadonlySet<string>): SkillSnapshot {
  const skills = new Map<string, LoadedSkill>()
  const broken: BrokenSkill[] = []
  const owners = new Map<string, string>([...reserved].map((id) => [id, '']))
  for (const entry of scanned) {
    const error = 'error' in entry ? entry.error : conflictOf(entry.skill, owners)
    if (error !== undefined || !('skill' in entry)) {
      broken.push({ id: entry.id, error: error ?? '' })
      continue
    }
    skills.set(entry.id, entry.skill)
    for (const { id } of entry.skill.tools) owners.set(id, entry.id)
  }
  return { skills, broken }
}

/** Why a skill cannot be used beside those before it. @param owners Skill ids by the ids of their tools. */
export function conflictOf(skill: LoadedSkill, owners: ReadonlyMap<string, string>): string | undefined {
  for (const { id } of skill.tools) {
    const owner = owners.get(id)
    if (owner === undefined || owner === skill.id) continue
    const where = owner === '' ? 'has the id of a built-in tool' : `already belongs to the skill "${owner}"`
    return `Its tool "${id}" ${where}. Rename the tool, or remove one of the two.`
  }
  return undefined
}
