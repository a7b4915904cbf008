import type { GraphNode } from '@homeward/contract/agent-platform'
import { Link } from 'react-aria-components'
import { Card } from '../components/layout/card.tsx'
import { CodeBlock } from '../components/text/code-block.tsx'
import { formatTime } from '../components/text/relative-time.tsx'
import { StatusBadge } from '../components/states/status-badge.tsx'
import { useAgentName } from '../components/agents/agent-filter.tsx'
import { AnswerText } from '../chat/answer-text.tsx'
import { describeSubject } from './graph-draft.ts'
import {
  stateOf,
  type GraphRunState,
  type NodeState,
  nodeStatusLabels,
  type NodeApproval,
} from './graph-run-state.ts'
import { ApprovalView } from '../chat/approval-view.tsx'
import '../chat/chat.css'

/** What a {@link NodeResultView} takes. */
interface NodeResultViewProps {
  readonly id: string
  /** How the graph has it now; undefined when it was taken out since. */
  readonly node: GraphNode | undefined
  /** The run that is looked at. */
  readonly run: GraphRunState | undefined
}

/** One node: what it is told, and what came of it in a run. */
export function NodeResultView({ id, node, run }: NodeResultViewProps) {
  const state = run && stateOf(run, id)
  const agent = node?.agent ?? state?.result?.agent_id
  const agentName = useAgentName(agent)
  return (
    <Card title={`Node ${id}`} actions={state && <NodeBadge state={state} />}>
      {state && run && <Outcome id={id} state={state} run={run} />}
      <dl className="graph-facts">
        {agent !== undefined && (
          <div>
            <dt>Agent</dt>
            <dd>
              <Link href={`/agents/${encodeURIComponent(agent)}`}>{agentName}</Link>
            </dd>
          </div>
        )}
        {agent === undefined && (node ?? state?.result) && (
          <div>
            <dt>Runs</dt>
            <dd>
              {node ? describeSubject(node, String) : (state?.result?.function ?? state?.result?.graph_id)}
            </dd>
          </div>
        )}
        <div>
          <dt>Retries</dt>
          <dd>{node?.retries ?? 0}</dd>
        </div>
        <div>
          <dt>When all attempts fail</dt>
          <dd>{node?.on_error ?? 'fail'}</dd>
        </div>
      </dl>
      {node?.input !== undefined && <CodeBlock label="the task of this node" code={node.input} isWrapped />}
    </Card>
  )
}

/** The state of a node as a word with a colour. */
export function NodeBadge({ state }: { readonly state: NodeState }) {
  const { status } = state
  return (
    <StatusBadge status={status} {...(status === 'pending' && { tone: 'neutral' as const })}>
      {nodeStatusLabels[status]}
    </StatusBadge>
  )
}

function Outcome({ id, state, run }: { id: string; state: NodeState; run: GraphRunState }) {
  const { result, runId, attempt } = state
  const approvals = run.approvals.filter(({ nodeId }) => nodeId === id)
  return (
    <>
      {state.status === 'waiting' && <ApprovalList approvals={approvals} />}
      {result?.error !== undefined && (
        <div className="graph-problems">
          <h3>Node failed{result.code === undefined ? '' : `: ${result.code}`}</h3>
          <p className="foreign">{result.error}</p>
        </div>
      )}
      {result?.status === 'skipped' && (
        <p className="muted">No edge to this node was followed, so it did not run.</p>
      )}
      {result !== undefined && result.output !== '' && (
        <div className="graph-output">
          <AnswerText text={result.output} />
        </div>
      )}
      <p className="row muted small">
        {attempt > 1 && <span>{attempt} attempts</span>}
        {result?.finished_at !== undefined && <span>ended {formatTime(result.finished_at)}</span>}
        {runId !== undefined && <Link href={`/runs/${encodeURIComponent(runId)}`}>Run of the agent</Link>}
      </p>
    </>
  )
}

/** Tool calls that wait for a person, decided right here. */
export function ApprovalList({ approvals }: { readonly approvals: readonly NodeApproval[] }) {
  if (approvals.length === 0) return null
  return (
    <div className="stack" data-gap="small">
      {approvals.map(({ id, runId, tool, args }) => (
        <ApprovalView key={id} part={{ kind: 'approval', id, runId, tool, args }} />
      ))}
    </div>
  )
}
