import type { Run } from '@homeward/contract/agent-platform'
import { useState, useEffect } from 'react'
import { Link } from 'react-aria-components'
import { Button } from '../../components/buttons/button.tsx'
import { useAgentNames } from '../../components/agents/agent-filter.tsx'
import { Card } from '../../components/layout/card.tsx'
import { QueryView } from '../../components/states/query-view.tsx'
import { useNow } from '../../components/text/use-now.ts'
import { TracePanel } from './trace-panel.tsx'
import { toRange, toRows, usualSpan } from './trace-span.ts'
import { toSpans } from './trace-span.ts'
import { TraceTree } from './trace-tree.tsx'
import { useQueryClient } from '@tanstack/react-query'
import { useLiveEvents } from '../../api/live.ts'
import { usePlatformPages, usePlatformQueries, usePlatformQuery } from '../../api/platform.ts'
import { refresh } from '../../api/refresh.ts'
import { runsOf } from '../../api/rows-of.ts'

/** How a run went: its steps as a tree over time, and what is known of the chosen one. Live while it works. */
export function TraceCard({ run }: { readonly run: Run }) {
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set())
  const [selected, setSelected] = useState<string>()
  // Only a run that this one asked for begins folded.
  const unfolded = [...toggled].flatMap((id) => (id.startsWith('run-') ? [id.slice('run-'.length)] : []))
  const { steps, children, childSteps } = useTrace(run, unfolded)
  const nameOf = useAgentNames()
  const isOpen = run.status === 'running' || run.status === 'waiting'
  const nowMs = useNow()

  function toggle(id: string): void {
    const next = new Set(toggled)
    if (!next.delete(id)) next.add(id)
    setToggled(next)
  }

  return (
    <Card title="Trace">
      <QueryView query={steps}>
        {(reply) => {
          const spans = toSpans({
            run,
            steps: reply.steps,
            children: children.data ?? [],
            childSteps,
            nameOf,
          })
          const rows = toRows(spans, toggled)
          const chosen = rows.find(({ span }) => span.id === selected)?.span ?? usualSpan(rows)
          if (!chosen) {
            return (
              <p className="muted">
                {isOpen
                  ? 'Steps appear here as soon as the run calls a model.'
                  : 'The run ended before its first step, or its steps are no longer stored.'}
              </p>
            )
          }
          return (
            <div className="trace">
              <TraceTree
                rows={rows}
                range={toRange(run, rows, nowMs)}
                selected={chosen.id}
                onSelect={setSelected}
                onToggle={toggle}
              />
              <TracePanel key={chosen.id} run={run} span={chosen} nowMs={nowMs} />
            </div>
          )
        }}
      </QueryView>
      <p className="row small">
        <Link href={`/logs?run=${encodeURIComponent(run.id)}`}>All events of this run</Link>
        {children.loadMore && (
          <Button variant="quiet" onPress={children.loadMore}>
            Load more subruns
          </Button>
        )}
      </p>
    </Card>
  )
}

/** The words of a model come without an event. */
const liveMs = 1000
const pauseMs = 400

/** The steps of a run, the runs that it asked for, and the steps of those that are unfolded; live while it works. */
function useTrace(run: Run, unfolded: readonly string[]) {
  const queries = useQueryClient()
  const isOpen = run.status === 'running' || run.status === 'waiting'
  const steps = usePlatformQuery(
    'listRunSteps',
    { params: { id: run.id } },
    { refetchInterval: run.status === 'running' && liveMs },
  )
  const children = usePlatformPages(
    'listRuns',
    { query: { parent_run_id: run.id, limit: '200' } },
    { select: runsOf },
  )
  const inner = usePlatformQueries(
    'listRunSteps',
    unfolded.map((id) => ({ params: { id } })),
  )
  const ids = [run.id, ...unfolded]
  useLiveEvents({}, ({ run_id = '' }) => {
    if (ids.includes(run_id)) void refresh(queries, { queryKey: ['listRunSteps'] }, pauseMs)
  })
  // Its last step may have ended after the last read.
  useEffect(() => void refresh(queries, { queryKey: ['listRunSteps'] }), [queries, isOpen])
  const childSteps = new Map(unfolded.map((id, place) => [id, inner[place]?.steps ?? []]))
  return { steps, children, childSteps }
}
