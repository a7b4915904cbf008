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
import type { FailureGroup } from './failure-groups.ts'
import { markHandled } from './failure-groups.ts'
import { UrgentCard } from './urgent-card.tsx'

/** Causes that the same run may not meet again; a person has to change something about the others. */
const passing = new Set(['model_error', 'timeout', 'closed', 'storage_error', 'guard_failed'])

/** Failed runs with one cause: retried if that can help, else opened. */
export function FailureCard({ group }: { readonly group: FailureGroup }) {
  const { agentId, graphId, cause, code, runs, lastAt, costUsd } = group
  const newest = runs[0]
  const people = new Set(runs.flatMap(({ user_id: user }) => user ?? []))
  const advice = adviseOn(code ?? '', agentId ?? '', cause)
  const canRetry = code !== undefined && passing.has(code)
  return (
    <UrgentCard
      icon={TriangleAlert}
      tone="bad"
      title={
        <>
          {graphId ?? <AgentName id={agentId} />}: {advice.title}
        </>
      }
      action={
        canRetry ? (
          <Retry group={group} />
        ) : (
          <>
            {code === 'budget_exceeded' && agentId !== undefined && (
              <LinkButton href={`/agents/${encodeURIComponent(agentId)}`}>Raise the budget</LinkButton>
            )}
            {newest && (
              <LinkButton href={`/runs/${encodeURIComponent(newest.id)}`}>
                {runs.length === 1 ? 'Open the run' : 'Open the newest run'}
              </LinkButton>
            )}
          </>
        )
      }
    >
      <p className="foreign">{cause}</p>
      <p className="muted small">
        {runs.length === 1 ? '1 run' : `${runs.length.toLocaleString()} runs`}
        {people.size > 1 && ` of ${people.size} people`} failed, the last <RelativeTime value={lastAt} />
        {costUsd !== undefined && `, for ${formatUsd(costUsd)}`}.
      </p>
    </UrgentCard>
  )
}

function Retry({ group: { key, runs, lastAt } }: { readonly group: FailureGroup }) {
  const [isPending, setIsPending] = useState(false)
  const [error, setError] = useState<Error>()

  async function retry(): Promise<void> {
    setIsPending(true)
    setError(undefined)
    try {
      // The key makes it one run for each, however often it is sent.
      for (const { id } of runs) {
        await platform.rerun({ params: { id }, body: { idempotency_key: `home-retry-${id}` } })
      }
      markHandled(key, lastAt)
      keepFocus() // the button goes with its card
      showToast({ title: runs.length === 1 ? 'Run started again' : `${runs.length} runs started again` })
    } catch (failure) {
      setError(failure instanceof Error ? failure : new Error(String(failure)))
    }
    setIsPending(false)
  }

  return (
    <>
      <Button icon={<RotateCcw aria-hidden />} isPending={isPending} onPress={() => void retry()}>
        {runs.length === 1 ? 'Retry' : `Retry all ${runs.length} runs`}
      </Button>
      {error && <ErrorState error={error} isInline />}
    </>
  )
}
