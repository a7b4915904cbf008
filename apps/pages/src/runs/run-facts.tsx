import type { Run } from '@homeward/contract/agent-platform'
import type { ReactNode } from 'react'
import { Link } from 'react-aria-components'
import { CopyButton } from '../components/buttons/copy-button.tsx'
import { RelativeTime } from '../components/text/relative-time.tsx'
import { useNow } from '../components/text/use-now.ts'
import { AgentName } from '../components/agents/agent-filter.tsx'
import { formatCount, formatDuration } from '../components/text/to-shown-text.ts'
import './runs.css'
import { toPriceForm } from '../usage/format-usage.ts'
import { costText, unpricedModel } from './run-texts.ts'

/** What is known of a run at a glance. */
export function RunFacts({ run }: { readonly run: Run }) {
  const { agent_id, graph_id, conversation_id, parent_run_id, rerun_of, created_at, finished_at, result } =
    run
  const nowMs = useNow()
  const endMs = finished_at === undefined ? nowMs : Date.parse(finished_at)
  const agentResult = result && 'turns' in result ? result : undefined
  return (
    <dl className="run-facts">
      {agent_id !== undefined && (
        <Fact name="Agent">
          <Link href={`/agents/${encodeURIComponent(agent_id)}`}>
            <AgentName id={agent_id} />
          </Link>
        </Fact>
      )}
      {graph_id !== undefined && (
        <Fact name="Graph">
          <Link href={`/graphs/${encodeURIComponent(graph_id)}`}>{graph_id}</Link>
        </Fact>
      )}
      <Fact name="Started">
        <RelativeTime value={created_at} />
      </Fact>
      <Fact name="Duration">{formatDuration(Math.max(endMs - Date.parse(created_at), 0))}</Fact>
      <Fact name="Cost">
        <RunCost run={run} />
      </Fact>
      {agentResult && (
        <>
          <Fact name="Tokens">
            {formatCount(agentResult.usage.input_tokens)} in, {formatCount(agentResult.usage.output_tokens)}{' '}
            out
          </Fact>
          <Fact name="Turns">
            {agentResult.turns}, with {agentResult.tool_calls} tool{' '}
            {agentResult.tool_calls === 1 ? 'call' : 'calls'}
          </Fact>
          <Fact name="Model">
            <span className="mono foreign">{agentResult.model}</span>
          </Fact>
          {run.status !== 'waiting' && (
            <Fact name="Ended by">{agentResult.stop_reason.replaceAll('_', ' ')}</Fact>
          )}
        </>
      )}
      {conversation_id !== undefined && (
        <Fact name="Conversation">
          <Link href={`/conversations/${encodeURIComponent(conversation_id)}`}>Open</Link>
        </Fact>
      )}
      {parent_run_id !== undefined && (
        <Fact name="Started by">
          <Link href={`/runs/${encodeURIComponent(parent_run_id)}`}>another run</Link>
        </Fact>
      )}
      {rerun_of !== undefined && (
        <Fact name="Rerun of">
          <Link href={`/runs/${encodeURIComponent(rerun_of)}`}>the run before</Link>
        </Fact>
      )}
      <Fact name="Id">
        <CopyButton text={run.id} label="Copy id" />
      </Fact>
    </dl>
  )
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd className="numeric">{children}</dd>
    </div>
  )
}

/** What a run has cost; where its model has no price, the way to give it one. */
function RunCost({ run }: { readonly run: Run }) {
  const text = costText(run)
  const model = unpricedModel(run)
  if (text !== undefined) return <span className="numeric">{text}</span>
  if (model === undefined) return <span>–</span>
  return (
    <span>
      – <Link href={toPriceForm(model)}>Set a price</Link>
    </span>
  )
}
