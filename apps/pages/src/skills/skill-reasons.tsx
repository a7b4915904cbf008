import type { BrokenSkill, Skill } from '@homeward/contract/agent-platform'
import { Notice } from '../components/states/notice.tsx'
import { isBroken } from './skill-kinds.ts'

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
