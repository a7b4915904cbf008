import type { SkillDetails } from '@homeward/contract/agent-platform'
import { Trash2 } from 'lucide-react'
import { useLocation, useParams } from 'wouter'
import { usePlatformMutation, usePlatformQuery } from '../api/platform.ts'
import { untilGone } from '../api/until-gone.ts'
import { Card } from '../components/layout/card.tsx'
import { ActionMenu } from '../components/buttons/action-menu.tsx'
import { Disclosure } from '../components/layout/disclosure.tsx'
import { Markdown } from '../components/text/markdown.tsx'
import { MissingState } from '../components/states/missing-state.tsx'
import { PageHeader } from '../components/layout/page-header.tsx'
import { QueryView } from '../components/states/query-view.tsx'
import { showToast } from '../components/states/toasts.tsx'
import { CapabilityList } from './capability-list.tsx'
import { needsConfig } from './environment-schema.ts'
import { SkillBadge } from './skill-badge.tsx'
import { SkillConfig } from './skill-config.tsx'
import { isBroken } from './skill-badge.tsx'
import { SkillReasons } from './skill-badge.tsx'

const list = { href: '/skills', label: 'Skills' }

/** One skill: what it can do, what it lacks, and its config. */
export function SkillPage() {
  const { id } = useParams<{ id: string }>()
  const query = usePlatformQuery('getSkill', { params: { id } })
  const skill = query.data?.skill
  const isUsable = skill !== undefined && !isBroken(skill)
  return (
    <>
      <PageHeader
        title={isUsable ? skill.name : id}
        description={isUsable ? skill.description : undefined}
        back={list}
        actions={skill && <DeleteSkill id={id} />}
      />
      <QueryView query={query} missing={<MissingState kind="skill" id={id} list={list} />}>
        {({ skill }) => (
          <div className="stack">
            <Card
              title={
                <>
                  <span className="mono foreign">{skill.id}</span>
                  {!isBroken(skill) && skill.version !== undefined && (
                    <span className="muted small"> {skill.version}</span>
                  )}
                </>
              }
              actions={<SkillBadge skill={skill} />}
            >
              <SkillReasons skill={skill} />
              {!isBroken(skill) && <CapabilityList capabilities={skill.capabilities} />}
            </Card>
            {!isBroken(skill) && <SkillContent skill={skill} />}
          </div>
        )}
      </QueryView>
    </>
  )
}

function SkillContent({ skill }: { readonly skill: SkillDetails }) {
  return (
    <>
      {skill.has_setup && <SkillSetup id={skill.id} />}
      {(skill.has_config || needsConfig(skill)) && <SkillConfig skill={skill} />}
      {skill.instructions.trim() !== '' && (
        <Card>
          <Disclosure title="Instructions for the model">
            <Markdown text={skill.instructions} />
          </Disclosure>
        </Card>
      )}
    </>
  )
}

function SkillSetup({ id }: { readonly id: string }) {
  const query = usePlatformQuery('getSkillSetup', { params: { id } })
  return (
    <Card title="Setup">
      <p className="muted small">
        Written by the author of the skill. Do not run commands that you do not understand.
      </p>
      <QueryView query={query}>{({ setup_markdown: text }) => <Markdown text={text} />}</QueryView>
    </Card>
  )
}

function DeleteSkill({ id }: { readonly id: string }) {
  const [, navigate] = useLocation()
  const remove = usePlatformMutation('deleteSkill', { invalidates: ['listSkills'] })
  return (
    <ActionMenu
      actions={[
        {
          label: 'Delete skill',
          icon: <Trash2 aria-hidden />,
          confirm: {
            title: `Delete ${id}?`,
            text: (
              <p>
                Agents that use the skill lose its tools and instructions. Its config is kept for the next
                installation.
              </p>
            ),
            onConfirm: async () => {
              await untilGone(remove.mutateAsync({ params: { id } }))
              showToast({ title: `${id} deleted` })
              navigate('/skills')
            },
          },
        },
      ]}
    />
  )
}
