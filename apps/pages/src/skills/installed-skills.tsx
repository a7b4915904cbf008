import type { BrokenSkill, Skill } from '@homeward/contract/agent-platform'
import { PackagePlus, Puzzle } from 'lucide-react'
import { Link } from 'react-aria-components'
import { usePlatformMutation, usePlatformQuery } from '../api/platform.ts'
import { Button } from '../components/buttons/button.tsx'
import { EmptyState } from '../components/states/empty-state.tsx'
import { QueryView } from '../components/states/query-view.tsx'
import { showToast } from '../components/states/toasts.tsx'
import { describeError } from '../components/states/error-state.tsx'
import { SkillBadge } from './skill-badge.tsx'
import { canBeNamed, isBroken } from './skill-badge.tsx'
import { SkillReasons } from './skill-badge.tsx'
import './skills.css'

/** Skills that the server brings along: the folder apps/homeward/skills. */
export const systemSkills = ['device-search', 'home-assistant', 'weather', 'word-count'] as const

/** The skills of this platform, with the reasons for those that are off. */
export function InstalledSkills({ onAdd }: { readonly onAdd: () => void }) {
  const query = usePlatformQuery('listSkills')
  const restore = usePlatformMutation('installSystemSkills', {
    invalidates: ['listSkills'],
    onSuccess: ({ installed }) =>
      showToast({
        title:
          installed.length === 0
            ? 'All system skills are already installed'
            : `Installed: ${installed.join(', ')}`,
      }),
    onError: (error) => showToast({ tone: 'bad', ...describeError(error) }),
  })
  const restoreButton = (
    <Button icon={<PackagePlus aria-hidden />} isPending={restore.isPending} onPress={() => restore.mutate()}>
      Install system skills
    </Button>
  )
  return (
    <div className="stack">
      <QueryView
        query={query}
        isEmpty={({ skills }) => skills.length === 0}
        empty={
          <EmptyState
            title="No skills installed"
            icon={<Puzzle aria-hidden />}
            action={
              <div className="row">
                {restoreButton}
                <Button onPress={onAdd}>Upload one</Button>
              </div>
            }
          >
            Without skills, agents can use only the built-in tools.
          </EmptyState>
        }
      >
        {({ skills }) => (
          <>
            <ul className="skill-list" aria-label="Installed skills">
              {skills.map((skill) => (
                <SkillItem key={skill.id} skill={skill} />
              ))}
            </ul>
            {systemSkills.some((id) => !skills.some((skill) => skill.id === id)) && (
              <div>{restoreButton}</div>
            )}
          </>
        )}
      </QueryView>
    </div>
  )
}

function SkillItem({ skill }: { readonly skill: Skill | BrokenSkill }) {
  const name = isBroken(skill) ? skill.id : skill.name
  return (
    <li className="card skill-item">
      <div className="row" data-justify="between">
        <h2 className="foreign">
          {canBeNamed(skill.id) ? <Link href={`/skills/${skill.id}`}>{name}</Link> : name}
          {!isBroken(skill) && skill.version !== undefined && (
            <span className="muted small"> {skill.version}</span>
          )}
        </h2>
        <SkillBadge skill={skill} />
      </div>
      {!isBroken(skill) && <p className="foreign skill-description">{skill.description}</p>}
      {!isBroken(skill) && skill.tools.length > 0 && (
        <p className="muted small foreign">{skill.tools.join(', ')}</p>
      )}
      <SkillReasons skill={skill} />
    </li>
  )
}
