import type { Graph } from '@homeward/contract/agent-platform'
import { Pencil, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { useLocation, useParams, useSearchParams } from 'wouter'
import { usePlatformMutation, usePlatformQuery } from '../../api/platform.ts'
import { untilGone } from '../../api/until-gone.ts'
import { Button } from '../../components/buttons/button.tsx'
import { Card } from '../../components/layout/card.tsx'
import { ConfirmDialog } from '../../components/dialogs/confirm-dialog.tsx'
import { LinkButton } from '../../components/buttons/link-button.tsx'
import { MissingState } from '../../components/states/missing-state.tsx'
import { PageHeader } from '../../components/layout/page-header.tsx'
import { QueryView } from '../../components/states/query-view.tsx'
import { showToast } from '../../components/states/toasts.tsx'
import { useAgentNames } from '../agents/agent-name.tsx'
import { describeCondition, fromCondition } from './edge-condition.ts'
import { GraphDrawing } from './graph-drawing.tsx'
import './graph-editor.css'
import './graph-run.css'
import { GraphRunCard } from './graph-run-card.tsx'
import { stateOf, type GraphRunState } from './graph-run-state.ts'
import { describeSubject } from './describe-subject.ts'
import { NodeResultView } from './node-result-view.tsx'
import { RecentGraphRuns } from './recent-graph-runs.tsx'
import { needsInput } from './needs-input.ts'
import { RunGraphForm } from './run-graph-form.tsx'
import { useGraphRun } from './use-graph-run.ts'

const back = { href: '/graphs', label: 'Graphs' }

/** One graph: its drawing, its runs, and the states of its nodes in one of them, which the address names. */
export function GraphPage() {
  const { id = '' } = useParams()
  const graph = usePlatformQuery('getGraph', { params: { id } })
  return (
    <>
      {graph.data === undefined && <PageHeader title={id} back={back} />}
      <QueryView query={graph} missing={<MissingState kind="graph" id={id} list={back} />}>
        {(found) => <GraphView key={id} graph={found.graph} />}
      </QueryView>
    </>
  )
}

function GraphView({ graph }: { readonly graph: Graph }) {
  const [search, setSearch] = useSearchParams()
  const runId = search.get('run') ?? undefined
  const { state, error } = useGraphRun(runId)
  const [selected, select] = useState<string>()
  const nameOf = useAgentNames()
  const run = runId === undefined ? undefined : state

  function show(id: string | undefined): void {
    select(undefined)
    setSearch(id === undefined ? {} : { run: id })
  }

  return (
    <>
      <PageHeader
        title={graph.name ?? graph.id}
        description={<GraphNote graph={graph} />}
        back={back}
        actions={<GraphActions graph={graph} />}
      />
      <GraphDrawing
        label={`Drawing of the graph ${graph.name ?? graph.id}`}
        {...toDrawing(graph, run, nameOf)}
        selected={selected}
        onSelect={select}
      />
      <div className="graph-run">
        <div className="stack">
          {selected !== undefined && (
            <NodeResultView id={selected} node={graph.nodes.find((node) => node.id === selected)} run={run} />
          )}
          {run && (
            <GraphRunCard
              // what failed for one run says nothing about another
              key={runId}
              graph={graph}
              run={run}
              error={error}
              onClose={() => show(undefined)}
              onSelect={select}
            />
          )}
          {!run && <RecentGraphRuns graphId={graph.id} selected={runId} />}
        </div>
        <div className="stack">
          <Card title="Run it">
            <RunGraphForm graphId={graph.id} isInputNeeded={needsInput(graph)} onStarted={show} />
          </Card>
          {run && <RecentGraphRuns graphId={graph.id} selected={runId} />}
        </div>
      </div>
    </>
  )
}

function toDrawing(graph: Graph, run: GraphRunState | undefined, nameOf: (agentId: string) => string) {
  return {
    nodes: graph.nodes.map((node) => ({
      key: node.id,
      title: node.id,
      subtitle: describeSubject(node, nameOf),
      ...(run && { status: stateOf(run, node.id).status }),
    })),
    edges: graph.edges.map(({ from, to, when }) => ({
      // no two edges join the same nodes, and no blank is in an id
      key: `${from} ${to}`,
      from,
      to,
      label: describeCondition(fromCondition(when), typeof when === 'object' ? when.data : undefined),
    })),
  }
}

function GraphNote({ graph }: { readonly graph: Graph }) {
  const { description, schedule, timezone, schedule_enabled: isOn } = graph
  return (
    <>
      {description !== undefined && <p>{description}</p>}
      {schedule !== undefined && (
        <p>
          Schedule <code>{schedule}</code> {timezone} {!isOn && '(off)'}
        </p>
      )}
    </>
  )
}

function GraphActions({ graph: { id, name } }: { readonly graph: Graph }) {
  const [, navigate] = useLocation()
  const remove = usePlatformMutation('deleteGraph', { invalidates: ['listGraphs', 'listSchedules'] })
  return (
    <>
      <LinkButton href={`/graphs/${encodeURIComponent(id)}/edit`} icon={<Pencil aria-hidden />}>
        Edit
      </LinkButton>
      <ConfirmDialog
        title={`Delete the graph ${name ?? id}?`}
        confirmLabel="Delete graph"
        trigger={<Button icon={<Trash2 aria-hidden />}>Delete</Button>}
        onConfirm={async () => {
          await untilGone(remove.mutateAsync({ params: { id } }))
          showToast({ title: 'Graph deleted' })
          navigate('/graphs')
        }}
      >
        <p>
          Its nodes, edges and schedule are deleted permanently. Runs that have started continue to their end.
        </p>
      </ConfirmDialog>
    </>
  )
}
