import type { FailureCause } from '@homeward/contract/agent-platform'
import { RotateCcw, TriangleAlert } from 'lucide-react'
import { useState } from 'react'
import { AgentName } from '../../components/agents/agent-filter.tsx'
import { adviseOn } from '../../chat/failure-advice.ts'
import { formatUsd } from '../../usage/format-usage.ts'
import { platform } from '../../api/platform.ts'
import { Button } from '../../components/buttons/button.tsx'
import { LinkButton } from '../../components/buttons/link-button.tsx'
import { keepFocus } from '../../components/dialogs/focus-afterwards.ts'
import { ErrorState } from '../../components/states/error-state.tsx'
import { showToast } from '../../components/states/toasts.tsx'
import { RelativeTime } from '../../components/text/relative-time.tsx'
import { formatCount } from '../../components/text/to-shown-text.ts'
import { canRetry, type FailureGroup, isOfGroup, markHandled } from './failure-groups.ts'
import { UrgentCard } from './urgent-card.tsx'

interface FailureCardProps {
  readonly group: FailureGroup
  /** Begin of the time whose failures are shown: ISO 8601. */
  readonly from: string
}

/** Failed runs with one cause: retried if that can help, else with the way to a change. */
export function FailureCard({ group, from }: FailureCardProps) {
  const { agent_id: agentId, graph_id: graphId, code, error, count, last_at: lastAt, cost_usd: cost } = group
  const isOfUsers = code === 'budget_exceeded' && group.users > 0
  const { title } = adviseOn(code ?? '', agentId ?? '', error)
  return (
    <UrgentCard
      icon={TriangleAlert}
      tone="bad"
      title={
        <>
          {graphId ?? <AgentName id={agentId} />}: {isOfUsers ? usersOver(group) : title}
        </>
      }
      action={<FailureAction group={group} from={from} />}
    >
      <p className="foreign">{isOfUsers ? namesOf(group) : shortOf(error)}</p>
      <p className="muted small">
        {runsOf(count)} failed, the last <RelativeTime value={lastAt} />
        {cost !== undefined && `, for ${formatUsd(cost)}`}.
      </p>
    </UrgentCard>
  )
}

const runsOf = (count: number) => (count === 1 ? '1 run' : `${formatCount(count)} runs`)

function FailureAction({ group, from }: FailureCardProps) {
  if (canRetry(group)) return <Retry group={group} from={from} />
  if (group.code !== 'budget_exceeded' || group.agent_id === undefined)
    return <LinkButton href={`/runs/${encodeURIComponent(group.run_id)}`}>Open the run</LinkButton>
  return (
    <>
      <LinkButton href={`/agents/${encodeURIComponent(group.agent_id)}`}>Raise the budget</LinkButton>
      <Retry group={group} from={from} />
    </>
  )
}

const usersOver = ({ users }: FailureCause) =>
  users === 1 ? '1 person used up the budget' : `${formatCount(users)} people used up their budgets`

const mostNamed = 3

function namesOf({ user_ids: ids, users }: FailureCause): string {
  const named = ids.slice(0, mostNamed)
  const others = users - named.length
  return others > 0 ? `${named.join(', ')} and ${formatCount(others)} more` : named.join(', ')
}

const longestCause = 160

const shortOf = (error: string) => {
  if (error === '') return 'Unknown reason.'
  return error.length > longestCause ? `${error.slice(0, longestCause).trimEnd()}…` : error
}

function Retry({ group, from }: FailureCardProps) {
  const [isPending, setIsPending] = useState(false)
  const [error, setError] = useState<Error>()
  const { key, count, last_at: lastAt } = group

  async function retry(): Promise<void> {
    setIsPending(true)
    setError(undefined)
    try {
      const ids = await readIds(group, from)
      // The key makes it one run for each, however often it is sent.
      for (const id of ids) {
        await platform.rerun({ params: { id }, body: { idempotency_key: `home-retry-${id}` } })
      }
      markHandled(key, lastAt)
      keepFocus() // the button goes with its card
      showToast({ title: ids.length === 1 ? 'Run started again' : `${runsOf(ids.length)} started again` })
    } catch (failure) {
      setError(failure instanceof Error ? failure : new Error(String(failure)))
    }
    setIsPending(false)
  }

  return (
    <>
      <Button icon={<RotateCcw aria-hidden />} isPending={isPending} onPress={() => void retry()}>
        {count === 1 ? 'Retry' : `Retry all ${runsOf(count)}`}
      </Button>
      {error && <ErrorState error={error} isInline />}
    </>
  )
}

/** The runs of a group, which the server counts and does not list. */
async function readIds(group: FailureGroup, from: string): Promise<readonly string[]> {
  const { agent_id, graph_id } = group
  const subject = graph_id !== undefined ? { graph_id } : agent_id !== undefined ? { agent_id } : {}
  const ids: string[] = []
  let cursor: string | undefined
  do {
    const page = cursor === undefined ? {} : { cursor }
    const query = { ...subject, ...page, status: 'failed', from, limit: '500' } as const
    const reply = await platform.listRuns({ query })
    ids.push(...reply.runs.filter((run) => isOfGroup(group, run)).map(({ id }) => id))
    cursor = reply.next_cursor
  } while (cursor !== undefined)
  return ids
}
