import type { Run } from '@homeward/contract/agent-platform'
import { Square } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'react-aria-components'
import { useParams } from 'wouter'
import { usePlatformMutation, usePlatformPages, usePlatformQuery } from '../../api/platform.ts'
import { runsOf } from '../../api/rows-of.ts'
import { Button } from '../../components/buttons/button.tsx'
import { Card } from '../../components/layout/card.tsx'
import { ErrorState } from '../../components/states/error-state.tsx'
import { MissingState } from '../../components/states/missing-state.tsx'
import { Notice } from '../../components/states/notice.tsx'
import { PageHeader } from '../../components/layout/page-header.tsx'
import { QueryView } from '../../components/states/query-view.tsx'
import { StatusBadge } from '../../components/states/status-badge.tsx'
import { useNow } from '../../components/text/use-now.ts'
import { useAgentName } from '../agents/agent-name.tsx'
import { ApprovalView } from '../chat/approval-view.tsx'
import '../chat/chat.css'
import { formatCount } from '../chat/to-shown-text.ts'
import { RunFacts } from './run-facts.tsx'
import { RunOutput } from './run-output.tsx'
import { toTimeline } from './run-timeline.ts'
import { TimelineChart } from './timeline-chart.tsx'
import { TimelineTable } from './timeline-table.tsx'
import { useRunJournal } from './use-run-journal.ts'

const back = { href: '/runs', label: 'Runs' }

/** One run: how it went, as a picture and in numbers. */
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
        actions={run && <CancelRun key={id} run={run} />}
      />
      <QueryView query={query} missing={<MissingState kind="run" id={id} list={back} />}>
        {(reply) => <RunView key={id} run={reply.run} />}
      </QueryView>
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
      <TimelineCard run={run} />
      <RunOutput run={run} />
    </>
  )
}

function TimelineCard({ run }: { readonly run: Run }) {
  const journal = useRunJournal(run.id)
  const children = usePlatformPages(
    'listRuns',
    { query: { parent_run_id: run.id, limit: '200' } },
    { select: runsOf },
  )
  const [selected, setSelected] = useState<string>()
  const nowMs = useNow()
  return (
    <Card title="Timeline">
      <QueryView
        query={journal}
        isEmpty={({ events }) => events.length === 0}
        empty={
          <p className="muted">The journal has nothing of it any more: events are kept for a while only.</p>
        }
      >
        {({ events, isCut }) => {
          const timeline = toTimeline(run, events, children.data ?? [], nowMs)
          return (
            <>
              {isCut && (
                <Notice>
                  This run has more events than are read here: these are its first{' '}
                  {formatCount(events.length)}.
                </Notice>
              )}
              <TimelineChart timeline={timeline} selected={selected} onSelect={setSelected} />
              <TimelineTable timeline={timeline} selected={selected} />
              {children.loadMore && (
                <Button variant="quiet" onPress={children.loadMore}>
                  Load more of the runs that it asked for
                </Button>
              )}
            </>
          )
        }}
      </QueryView>
      <p className="small">
        <Link href={`/logs?run=${encodeURIComponent(run.id)}`}>All events of this run</Link>
      </p>
    </Card>
  )
}
