import type { Agent, RememberedApproval } from '@homeward/contract/agent-platform'
import { MessageCircle, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { useParams } from 'wouter'
import { usePlatformMutation, usePlatformQuery } from '../api/platform.ts'
import { Button } from '../components/buttons/button.tsx'
import { LinkButton } from '../components/buttons/link-button.tsx'
import { MissingState } from '../components/states/missing-state.tsx'
import { PageHeader } from '../components/layout/page-header.tsx'
import { QueryView } from '../components/states/query-view.tsx'
import { showToast } from '../components/states/toasts.tsx'
import './agent-edit.css'
import { AgentForm } from './agent-form.tsx'
import { AgentTest } from './agent-test.tsx'
import { DeleteAgent } from './delete-agent.tsx'
import { useAgentForm } from './use-agent-form.ts'
import { Card } from '../components/layout/card.tsx'
import { ErrorState } from '../components/states/error-state.tsx'

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
              <DeleteAgent
                agent={agent}
                trigger={<Button icon={<Trash2 aria-hidden />}>Delete</Button>}
                leavesPage
              />
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

const results = { approve: 'Approved', deny: 'Denied', respond: 'Answered by a person' } as const

/** Decisions about tool calls that apply to later calls of an agent. */
function RememberedApprovals({ agentId }: { readonly agentId: string }) {
  const query = usePlatformQuery('listRememberedApprovals', { params: { id: agentId } })
  return (
    <Card title="Remembered approvals">
      <QueryView
        query={query}
        isEmpty={({ approvals }) => approvals.length === 0}
        empty={
          <p className="muted">Decisions appear here when you apply them to the same call of this agent.</p>
        }
      >
        {({ approvals }) => (
          <ul className="stack" data-gap="small">
            {approvals.map((approval) => (
              <RememberedItem key={approval.id} approval={approval} />
            ))}
          </ul>
        )}
      </QueryView>
    </Card>
  )
}

function RememberedItem({ approval }: { readonly approval: RememberedApproval }) {
  const { id, agent_id, user_id, conversation_id, tool, args, decision } = approval
  const forget = usePlatformMutation('forgetApproval', { invalidates: ['listRememberedApprovals'] })
  return (
    <li>
      <div className="row">
        <span className="grow foreign">
          {results[decision]}: <code>{tool}</code> <code className="small">{JSON.stringify(args)}</code>
          {user_id !== undefined && <span className="muted small"> for {user_id}</span>}
          {conversation_id !== undefined && <span className="muted small"> in one conversation</span>}
        </span>
        <Button
          isDisabled={forget.isPending}
          onPress={() => forget.mutate({ params: { id: agent_id, approval_id: id } })}
        >
          Revoke
        </Button>
      </div>
      {forget.error && <ErrorState error={forget.error} isInline />}
    </li>
  )
}
