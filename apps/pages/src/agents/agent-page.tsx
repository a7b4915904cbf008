import type { Agent } from '@homeward/contract/agent-platform'
import { History, MessageCircle, Users } from 'lucide-react'
import { useState } from 'react'
import { useParams } from 'wouter'
import { usePlatformMutation, usePlatformQuery } from '../api/platform.ts'
import { LinkButton } from '../components/buttons/link-button.tsx'
import { MissingState } from '../components/states/missing-state.tsx'
import { PageHeader } from '../components/layout/page-header.tsx'
import { QueryView } from '../components/states/query-view.tsx'
import { showToast } from '../components/states/toasts.tsx'
import './agent-edit.css'
import { AgentForm } from './agent-form.tsx'
import { AgentTest } from './agent-test.tsx'
import { AgentMenu } from './agent-menu.tsx'
import { useAgentForm } from './use-agent-form.ts'
import { RememberedApprovals } from '../components/agents/remembered-approvals.tsx'

const list = { href: '/agents', label: 'Agents' }

/** Shows and changes an agent. */
export function AgentPage() {
  const { id } = useParams<{ id: string }>()
  const query = usePlatformQuery('getAgent', { params: { id } })
  const agent = query.data?.agent
  return (
    <>
      <PageHeader
        title={agent?.name ?? id}
        description={agent && <span className="mono">{agent.id}</span>}
        back={list}
        actions={
          agent && (
            <>
              <LinkButton href={`/chat/${id}`} icon={<MessageCircle aria-hidden />}>
                Chat
              </LinkButton>
              <LinkButton href={`/agents/${id}/users`} icon={<Users aria-hidden />}>
                Users
              </LinkButton>
              <LinkButton href={`/agents/${id}/versions`} icon={<History aria-hidden />}>
                Versions
              </LinkButton>
              <AgentMenu agent={agent} isOnPage />
            </>
          )
        }
      />
      <QueryView query={query} missing={<MissingState kind="agent" id={id} list={list} />}>
        {({ agent }) => (
          <>
            <EditAgent
              key={agent.id}
              agent={agent}
              reread={async () => (await query.refetch()).data?.agent ?? agent}
            />
            <RememberedApprovals agentId={agent.id} />
          </>
        )}
      </QueryView>
    </>
  )
}

interface EditAgentProps {
  readonly agent: Agent
  /** The agent as it is now; where that cannot be read, saving fails as well. */
  readonly reread: () => Promise<Agent>
}

function EditAgent({ agent, reread }: EditAgentProps) {
  const form = useAgentForm(agent)
  const [isReading, setIsReading] = useState(false)
  const update = usePlatformMutation('updateAgent', {
    invalidates: ['listAgents', 'getAgent', 'listSchedules'],
    onSuccess({ agent }) {
      form.settle(agent)
      showToast({ title: 'Saved', text: 'The change applies to new runs.' })
    },
  })
  async function save(): Promise<void> {
    setIsReading(true)
    const now = await reread()
    setIsReading(false)
    const body = form.sendOver(now)
    if (body) update.mutate({ params: { id: agent.id }, body })
  }

  return (
    <div className="agent-edit">
      <AgentForm
        form={form}
        isNew={false}
        isPending={isReading || update.isPending}
        error={update.error}
        onSave={() => void save()}
      />
      <div className="agent-edit-test">
        <AgentTest agent={agent} isDirty={form.isDirty} />
      </div>
    </div>
  )
}
