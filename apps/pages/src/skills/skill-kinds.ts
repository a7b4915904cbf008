import type { BrokenSkill, Skill } from '@homeward/contract/agent-platform'
import type { RegistryEntry } from '@homeward/contract/skill-store'

/** Whether a skill cannot be used at all. */
export function isBroken(skill: Skill | BrokenSkill): skill is BrokenSkill {
  return 'error' in skill
}

/** How a skill is: it works, lacks something that people can give it, or is off. */
export type SkillState = 'works' | 'needs_setup' | 'off'

/** The state of a skill in a word. */
export function stateOf(skill: Skill | BrokenSkill): SkillState {
  if (isBroken(skill)) return 'off'
  return skill.configured && (skill.disabled_tools ?? []).length === 0 ? 'works' : 'needs_setup'
}

/** Whether the address of a page, and the interface, can name it. */
export function canBeNamed(id: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(id)
}

/** What the store has for a skill that is installed, or is not. */
export type OfferState = 'new' | 'other_version' | 'installed'

/** Compares an entry of the store with what is installed. Which of two versions is newer, a preview shows by its content. */
export function offerStateOf(entry: RegistryEntry, installed: readonly (Skill | BrokenSkill)[]): OfferState {
  const found = installed.find(({ id }) => id === entry.slug)
  if (found === undefined) return 'new'
  if (isBroken(found) || (entry.version !== undefined && entry.version !== found.version))
    return 'other_version'
  return 'installed'
}
