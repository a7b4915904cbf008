import type { BrokenSkill, Skill } from '@homeward/contract/agent-platform'
import { StatusBadge } from '../components/states/status-badge.tsx'
import type { RegistryEntry } from '@homeward/contract/skill-store'
import { Notice } from '../components/states/notice.tsx'

const shown: Readonly<
  Record<SkillState, { readonly label: string; readonly tone: 'good' | 'warn' | 'bad' }>
> = {
  works: { label: 'Works', tone: 'good' },
  needs_setup: { label: 'Needs setup', tone: 'warn' },
  off: { label: 'Off', tone: 'bad' },
}

/** The state of a skill in a word. */
export function SkillBadge({ skill }: { readonly skill: Skill | BrokenSkill }) {
  const state = stateOf(skill)
  const { label, tone } = shown[state]
  return (
    <StatusBadge status={state} tone={tone}>
      {label}
    </StatusBadge>
  )
}

/** Whether a skill cannot be used at all. */
export function isBroken(skill: Skill | BrokenSkill): skill is BrokenSkill {
  return 'error' in skill
}

/** How a skill is: it works, lacks something that people can give it, or is off. */
type SkillState = 'works' | 'needs_setup' | 'off'

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

/** Why a skill, or a part of it, is off, and what it lacks. */
export function SkillReasons({ skill }: { readonly skill: Skill | BrokenSkill }) {
  if (isBroken(skill)) return <Notice tone="bad">{skill.error}</Notice>
  const {
    missing_env: missing,
    disabled_tools: disabled = [],
    unchecked_tools: unchecked = [],
    configured,
  } = skill
  return (
    <>
      {missing.length > 0 && (
        <Notice tone="warn">
          Set {missing.join(', ')} in the config of the skill, or in the environment of the server.
        </Notice>
      )}
      {!configured && missing.length === 0 && <Notice tone="warn">Complete the config of the skill.</Notice>}
      {disabled.map(({ id, reason }) => (
        <Notice key={id} tone="warn">
          <strong>{id}</strong> is disabled: {reason}
        </Notice>
      ))}
      {unchecked.map(({ id, reason }) => (
        <Notice key={id} tone="warn">
          <strong>{id}</strong> works, but {reason}
        </Notice>
      ))}
    </>
  )
}
