import type { Run } from '@homeward/contract/agent-platform'
import { MessageCircle, Square } from 'lucide-react'
import { useParams } from 'wouter'
import { usePlatformMutation, usePlatformQuery } from '../../api/platform.ts'
import { Button } from '../../components/buttons/button.tsx'
import { LinkButton } from '../../components/buttons/link-button.tsx'
import { ErrorState } from '../../components/states/error-state.tsx'
import { MissingState } from '../../components/states/missing-state.tsx'
import { PageHeader } from '../../components/layout/page-header.tsx'
import { QueryView } from '../../components/states/query-view.tsx'
import { StatusBadge } from '../../components/states/status-badge.tsx'
import { useAgentName } from '../agents/agent-name.tsx'
import { ApprovalView } from '../chat/approval-view.tsx'
import '../chat/chat.css'
import { canRerun } from '../activity/run-texts.ts'
import { toChat } from '../chat/to-chat.ts'
import { RunAgainDialog } from './run-again-dialog.tsx'
import { RunFacts } from './run-facts.tsx'
import { RunOutput } from './run-output.tsx'
import { TraceCard } from './trace/trace-card.tsx'

const back = { href: '/runs', label: 'Activity' }

/** One run: its trace, its result, and what can be done with it. */
export function RunPage() {
  const { id } = useParams<{ id: string }>()
  const query = usePlatformQuery('getRun', { params: { id } })
  const run = query.data?.run
  const agentName = useAgentName(run?.agent_id)
  return (
    <>
      <PageHeader
        title={run ? `Run of ${agentName ?? run.graph_id ?? ''}` : 'Run'}
        back={back}
        description={run && <StatusBadge status={run.status} />}
        actions={run && <RunActions key={id} run={run} />}
      />
      <QueryView query={query} missing={<MissingState kind="run" id={id} list={back} />}>
        {(reply) => <RunView key={id} run={reply.run} />}
      </QueryView>
    </>
  )
}

function RunActions({ run }: { readonly run: Run }) {
  const { agent_id: agentId, conversation_id: conversationId } = run
  return (
    <>
      <CancelRun run={run} />
      {canRerun(run) && <RunAgainDialog run={run} />}
      {agentId !== undefined && conversationId !== undefined && (
        <LinkButton href={toChat(agentId, conversationId)} icon={<MessageCircle aria-hidden />}>
          Open in chat
        </LinkButton>
      )}
    </>
  )
}

function CancelRun({ run }: { readonly run: Run }) {
  const cancel = usePlatformMutation('cancelRun', { invalidates: ['getRun', 'listRuns', 'listLogs'] })
  if (run.status !== 'running' && run.status !== 'waiting') return null
  return (
    <>
      {cancel.error && <ErrorState error={cancel.error} isInline />}
      <Button
        icon={<Square aria-hidden />}
        isDisabled={cancel.isPending}
        onPress={() => cancel.mutate({ params: { id: run.id } })}
      >
        Stop the run
      </Button>
    </>
  )
}

function RunView({ run }: { readonly run: Run }) {
  const waiting = run.approvals.filter(({ status }) => status === 'pending')
  return (
    <>
      <RunFacts run={run} />
      {waiting.map(({ id, run_id, tool, args }) => (
        <ApprovalView key={id} part={{ kind: 'approval', id, runId: run_id, tool, args }} />
      ))}
      <TraceCard run={run} />
      <RunOutput run={run} />
    </>
  )
}
