import type { Graph } from '@homeward/contract/agent-platform'
import { Square } from 'lucide-react'
import { Button as AriaButton, Link } from 'react-aria-components'
import { usePlatformMutation } from '../api/platform.ts'
import { Button } from '../components/buttons/button.tsx'
import { Card } from '../components/layout/card.tsx'
import { ErrorState } from '../components/states/error-state.tsx'
import { StatusBadge } from '../components/states/status-badge.tsx'
import { OpenWaits } from '../chat/wait-view.tsx'
import { AnswerText } from '../chat/answer-text.tsx'
import { ApprovalList } from './node-result-view.tsx'
import { stateOf, type GraphRunState } from './graph-run-state.ts'
import { NodeBadge } from './node-result-view.tsx'

/** What a {@link GraphRunCard} takes. */
interface GraphRunCardProps {
  readonly graph: Graph
  readonly run: GraphRunState
  /** Why the run cannot be followed. */
  readonly error: Error | undefined
  /** Shows no run any more. */
  readonly onClose: () => void
  /** Shows a node. */
  readonly onSelect: (nodeId: string) => void
}

/** One run of a graph: where it is, each of its nodes in words, and what came of it. */
export function GraphRunCard({ graph, run, error, onClose, onSelect }: GraphRunCardProps) {
  const ids = [...new Set([...graph.nodes.map(({ id }) => id), ...Object.keys(run.nodes)])]
  return (
    <Card title="This run" actions={<RunActions run={run} onClose={onClose} />}>
      {error && <ErrorState error={error} isInline />}
      {run.error !== undefined && (
        <p className="foreign graph-problems" role="alert">
          {run.error}
        </p>
      )}
      {run.status === 'running' && <ApprovalList approvals={run.approvals} />}
      {run.runId !== undefined && <OpenWaits runId={run.runId} />}
      <ul className="graph-run-nodes" aria-label="Nodes">
        {ids.map((id) => (
          <li key={id}>
            <AriaButton className="graph-run-node" onPress={() => onSelect(id)}>
              <span className="truncate foreign">{id}</span>
              <NodeBadge state={stateOf(run, id)} />
            </AriaButton>
          </li>
        ))}
      </ul>
      {run.output !== undefined && run.output !== '' && (
        <section aria-label="Output" className="graph-output">
          <AnswerText text={run.output} />
        </section>
      )}
      {run.runId !== undefined && (
        <Link className="small" href={`/runs/${encodeURIComponent(run.runId)}`}>
          Run details
        </Link>
      )}
    </Card>
  )
}

function RunActions({ run, onClose }: { readonly run: GraphRunState; readonly onClose: () => void }) {
  const cancel = usePlatformMutation('cancelRun', { invalidates: ['listRuns', 'getRun'] })
  const isWaiting = Object.values(run.nodes).some(({ status }) => status === 'waiting')
  const isWorking = Object.values(run.nodes).some(({ status }) => status === 'running')
  const status = run.status === 'running' && isWaiting && !isWorking ? 'waiting' : run.status
  const { runId } = run
  return (
    <>
      <span role="status">
        <StatusBadge status={status} />
      </span>
      {run.status === 'running' && runId !== undefined && (
        <Button
          icon={<Square aria-hidden />}
          isPending={cancel.isPending}
          onPress={() => cancel.mutate({ params: { id: runId } })}
        >
          Stop
        </Button>
      )}
      {run.status !== 'running' && (
        <Button variant="quiet" onPress={onClose}>
          Close
        </Button>
      )}
      {cancel.error && <ErrorState error={cancel.error} isInline />}
    </>
  )
}
