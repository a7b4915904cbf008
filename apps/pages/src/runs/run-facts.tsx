import type { Run } from '@homeward/contract/agent-platform'
import { type ReactNode, useState } from 'react'
import { Link } from 'react-aria-components'
import { usePlatformQuery } from '../api/platform.ts'
import { useIsLimited } from '../api/server-facts.ts'
import { Button } from '../components/buttons/button.tsx'
import { RelativeTime } from '../components/text/relative-time.tsx'
import { useNow } from '../components/text/use-now.ts'
import { AgentName } from '../components/agents/agent-filter.tsx'
import { formatCount, formatDuration } from '../components/text/to-shown-text.ts'
import './runs.css'
import { formatUsd, toPriceForm } from '../usage/format-usage.ts'
import { costText, tokensOf, unpricedModel } from './run-texts.ts'

/** The facts of a run. A narrow window shows the first three, and the others after "More". */
export function RunFacts({ run }: { readonly run: Run }) {
  const { agent_id, graph_id, conversation_id, parent_run_id, rerun_of, created_at, finished_at, result } =
    run
  const [isFull, setIsFull] = useState(false)
  const graphName = useGraphName(graph_id)
  const nowMs = useNow()
  const endMs = finished_at === undefined ? nowMs : Date.parse(finished_at)
  const agentResult = result && 'turns' in result ? result : undefined
  return (
    <div className="run-facts" {...(isFull && { 'data-full': true })}>
      <dl>
        {agent_id !== undefined && (
          <Fact name="Agent">
            <Link href={`/agents/${encodeURIComponent(agent_id)}`}>
              <AgentName id={agent_id} />
            </Link>
          </Fact>
        )}
        {graph_id !== undefined && (
          <Fact name="Graph">
            <Link href={`/graphs/${encodeURIComponent(graph_id)}`}>{graphName}</Link>
          </Fact>
        )}
        <Fact name="Duration">{formatDuration(Math.max(endMs - Date.parse(created_at), 0))}</Fact>
        <Fact name="Cost">
          <RunCost run={run} />
        </Fact>
        <Fact name="Started">
          <RelativeTime value={created_at} />
        </Fact>
        {!!tokensOf(run) && agentResult && (
          <Fact name="Tokens">
            {formatCount(agentResult.usage.input_tokens)} in, {formatCount(agentResult.usage.output_tokens)}{' '}
            out
          </Fact>
        )}
        {agentResult && agentResult.model !== '' && (
          <Fact name="Model">
            <span className="mono foreign">{agentResult.model}</span>
          </Fact>
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
      </dl>
      <Button variant="quiet" onPress={() => setIsFull(true)}>
        More
      </Button>
    </div>
  )
}

/** The name of a graph; its id for people who may not list the graphs. */
function useGraphName(id: string | undefined): string | undefined {
  const isLimited = useIsLimited()
  const isReadable = !isLimited && id !== undefined
  const graphs = usePlatformQuery('listGraphs', {}, { enabled: isReadable }).data?.graphs
  return graphs?.find((graph) => graph.id === id)?.name ?? id
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd className="numeric">{children}</dd>
    </div>
  )
}

/** The cost of a run. If a model has no price: the sum of the priced calls, and a link that sets the price. */
function RunCost({ run }: { readonly run: Run }) {
  const text = costText(run)
  const unpriced = unpricedModel(run)
  const isUnknown = text === undefined && unpriced !== undefined
  const steps = usePlatformQuery('listRunSteps', { params: { id: run.id } }, { enabled: isUnknown })
  const isLimited = useIsLimited()
  const prices = usePlatformQuery('listPrices', {}, { enabled: isUnknown && !isLimited }).data
  if (text !== undefined) return <span>{text}</span>
  if (unpriced === undefined) return <span>–</span>
  const calls = (steps.data?.steps ?? []).filter(({ type }) => type === 'model')
  const sum = calls.reduce((total, { cost }) => total + (cost?.currency === 'USD' ? cost.amount : 0), 0)
  const model = calls.find(({ cost, tokens }) => cost === undefined && tokens)?.name ?? unpriced
  // A price that came after the run does not change what the run has cost.
  const isPriced = [...(prices?.prices ?? []), ...(prices?.catalog.prices ?? [])].some(
    (price) => price.model === model,
  )
  return (
    <span>
      {sum > 0 ? `at least ${formatUsd(sum)}` : '–'}{' '}
      {prices && !isPriced && <Link href={toPriceForm(model)}>Set a price</Link>}
    </span>
  )
}
