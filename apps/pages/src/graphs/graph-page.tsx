import type { Graph, Run } from '@homeward/contract/agent-platform'
import { Pencil, Trash2 } from 'lucide-react'
import { useState, useCallback, useEffect } from 'react'
import { useLocation, useParams, useSearchParams } from 'wouter'
import { usePlatformMutation, usePlatformQuery, usePlatformQueries } from '../api/platform.ts'
import { untilGone } from '../api/until-gone.ts'
import { Card } from '../components/layout/card.tsx'
import { ActionMenu } from '../components/buttons/action-menu.tsx'
import { LinkButton } from '../components/buttons/link-button.tsx'
import { MissingState } from '../components/states/missing-state.tsx'
import { PageHeader } from '../components/layout/page-header.tsx'
import { QueryView } from '../components/states/query-view.tsx'
import { showToast } from '../components/states/toasts.tsx'
import { useAgentNames } from '../components/agents/agent-filter.tsx'
import { describeCondition, fromCondition } from './graph-draft.ts'
import { GraphDrawing } from './graph-drawing.tsx'
import './graph-editor.css'
import './graph-run.css'
import { GraphRunCard } from './graph-run-card.tsx'
import {
  stateOf,
  type GraphRunState,
  addRunEvent,
  newGraphRun,
  withoutDecided,
  type NodeApproval,
} from './graph-run-state.ts'
import { describeSubject } from './graph-draft.ts'
import { NodeResultView } from './node-result-view.tsx'
import { RunGraphForm } from './run-graph-form.tsx'
import { Link } from 'react-aria-components'
import { RelativeTime } from '../components/text/relative-time.tsx'
import { StatusBadge } from '../components/states/status-badge.tsx'
import { ClientError } from '@homeward/contract/client'
import { platformToken } from '../api/access-token.ts'
import { useConnection } from '../api/live.ts'
import { useRunStream } from '../api/use-run-stream.ts'

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
      <ActionMenu
        actions={[
          {
            label: 'Delete graph',
            icon: <Trash2 aria-hidden />,
            confirm: {
              title: `Delete the graph ${name ?? id}?`,
              text: (
                <p>
                  Its nodes, edges and schedule are deleted permanently. Runs that have started continue to
                  their end.
                </p>
              ),
              onConfirm: async () => {
                await untilGone(remove.mutateAsync({ params: { id } }))
                showToast({ title: 'Graph deleted' })
                navigate('/graphs')
              },
            },
          },
        ]}
      />
    </>
  )
}

/** Whether an agent or a list of the graph reads what the run begins with. */
export function needsInput({ nodes, edges }: Pick<Graph, 'nodes' | 'edges'>): boolean {
  const isFirst = (id: string) => !edges.some(({ to }) => to === id)
  return nodes.some(
    ({ id, function: called, input, map }) =>
      map?.over === 'input' ||
      input?.includes('{{input}}') === true ||
      (input === undefined && called === undefined && isFirst(id)),
  )
}

/** What {@link RecentGraphRuns} take. */
interface RecentGraphRunsProps {
  readonly graphId: string
  /** The run that is shown in the drawing. */
  readonly selected: string | undefined
}

/** The newest runs of a graph; choosing one shows it in the drawing. */
function RecentGraphRuns({ graphId, selected }: RecentGraphRunsProps) {
  const runs = usePlatformQuery('listRuns', { query: { graph_id: graphId, limit: '8' } })
  return (
    <Card title="Newest runs">
      <QueryView
        query={runs}
        isEmpty={(reply) => reply.runs.length === 0}
        empty={<p className="muted">Runs appear here once the graph has run.</p>}
      >
        {(reply) => (
          <ul className="graph-run-nodes">
            {reply.runs.map(({ id, status, created_at: at, task }) => (
              <li key={id}>
                <Link
                  className="graph-run-node"
                  href={`/graphs/${encodeURIComponent(graphId)}?run=${encodeURIComponent(id)}`}
                  {...(id === selected && { 'aria-current': 'true' as const })}
                >
                  <StatusBadge status={status} />
                  <span className="grow truncate foreign">{task}</span>
                  <span className="muted small">
                    <RelativeTime value={at} />
                  </span>
                </Link>
              </li>
            ))}
          </ul>
        )}
      </QueryView>
    </Card>
  )
}

/** A graph's run as a component follows it. */
interface FollowedGraphRun {
  readonly state: GraphRunState
  /** Why it cannot be followed. */
  readonly error: Error | undefined
}

/**
 * Follows a run from its first event on: also one that ended long ago, one that was begun elsewhere, and one that goes on
 * after a restart of the server.
 */
function useGraphRun(runId: string | undefined): FollowedGraphRun {
  const [state, setState] = useState(newGraphRun)
  const { start, stop, error, isStreaming } = useRunStream()
  const connection = useConnection()
  const { isNeeded: isSignedOut } = platformToken.useSignIn()
  const decided = useDecidedApprovals(state.status === 'running' ? state.approvals : [])

  const begin = useCallback(() => setState(newGraphRun), [])
  const follow = useCallback(
    (id: string) => {
      begin()
      start(id, (event) => setState((before) => addRunEvent(before, event)))
    },
    [begin, start],
  )

  useEffect(() => {
    if (runId === undefined) return begin()
    follow(runId)
    return stop
  }, [runId, begin, follow, stop])

  // The stream gave up while the server was away, or took no token: all events are told again, so it begins again.
  const wasBegun = state.runId !== undefined || isUnreachable(error) || isRefused(error)
  const isLost = runId !== undefined && !isStreaming && wasBegun && state.status === 'running'
  useEffect(() => {
    if (isLost && connection === 'online' && !isSignedOut && runId !== undefined) follow(runId)
  }, [isLost, connection, isSignedOut, runId, follow])

  return { state: withoutDecided(state, decided), error: connection === 'online' ? error : undefined }
}

const isRefused = (error: Error | undefined) => ClientError.is(error) && error.status === 401
const isUnreachable = (error: Error | undefined) => ClientError.is(error) && error.code === 'UNREACHABLE'

/** Which of these people have decided, by the runs that asked: here, on another page, or elsewhere. */
function useDecidedApprovals(approvals: readonly NodeApproval[]): ReadonlySet<string> {
  const runIds = [...new Set(approvals.map(({ runId }) => runId))]
  const replies = usePlatformQueries(
    'getRun',
    runIds.map((id) => ({ params: { id } })),
  )
  return new Set(replies.flatMap((reply) => (reply ? decidedIn(reply.run) : [])))
}

const decidedIn = ({ approvals }: Run) =>
  approvals.filter(({ status }) => status !== 'pending').map(({ id }) => id)
