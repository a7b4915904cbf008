import type { BrokenSkill, Skill } from '@homeward/contract/agent-platform'
import { StatusBadge } from '../components/states/status-badge.tsx'
import { type SkillState, stateOf } from './skill-kinds.ts'

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
