import type { Run } from '@homeward/contract/agent-platform'
import { useQueryClient } from '@tanstack/react-query'
import { RotateCcw } from 'lucide-react'
import { useRef } from 'react'
import { newId } from '../api/use-idempotency-key.ts'
import { platform, usePlatformMutation } from '../api/platform.ts'
import { refresh } from '../api/refresh.ts'
import { Button } from '../components/buttons/button.tsx'
import { ConfirmDialog } from '../components/dialogs/confirm-dialog.tsx'
import { showToast } from '../components/states/toasts.tsx'
import { canRerun } from './run-texts.ts'
import { useLocation } from 'wouter'
import { useIdempotencyKey } from '../api/use-idempotency-key.ts'

/** What {@link RunAgainMany} takes. */
interface RunAgainManyProps {
  readonly runs: readonly Run[]
  /** All of them were started. */
  readonly onDone: () => void
}

/** So many are started at the same time. */
const atOnce = 4

/** Starts the chosen runs again. After a failure a second press starts those that are left, and none twice. */
export function RunAgainMany({ runs, onDone }: RunAgainManyProps) {
  const queries = useQueryClient()
  const keys = useRef(new Map<string, string>())
  const again = runs.filter(canRerun)
  const left = runs.length - again.length

  async function start(): Promise<void> {
    const failures = await eachOf(again, atOnce, async ({ id }) => {
      const key = keys.current.get(id) ?? newId()
      keys.current.set(id, key)
      await platform.rerun({ params: { id }, body: {}, headers: { 'idempotency-key': key } })
    })
    void refresh(queries, { queryKey: ['listRuns'] })
    const [first] = failures
    if (first) {
      throw new Error(`${failures.length} of ${again.length} runs were not started. ${first.message}`)
    }
    keys.current.clear()
    showToast({ title: again.length === 1 ? '1 run started again' : `${again.length} runs started again` })
    onDone()
  }

  return (
    <ConfirmDialog
      title={again.length === 1 ? 'Run 1 task again?' : `Run ${again.length} tasks again?`}
      confirmLabel="Run again"
      isDanger={false}
      trigger={
        <Button variant="primary" icon={<RotateCcw aria-hidden />} isDisabled={again.length === 0}>
          Run {again.length} again
        </Button>
      }
      onConfirm={start}
    >
      <p>
        Each task starts again from the beginning, with the current settings of the agent. Model calls are
        charged again.
      </p>
      {left > 0 && (
        <p className="muted">
          {left} of the selected {left === 1 ? 'is' : 'are'} left out: a graph, or still working.
        </p>
      )}
    </ConfirmDialog>
  )
}

/** Does something for each, a few at the same time. @returns why it failed, for those for which it did. */
async function eachOf<Item>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item) => Promise<void>,
): Promise<Error[]> {
  const failures: Error[] = []
  const rest = items.values()
  async function workOff(): Promise<void> {
    for (const item of rest) {
      try {
        // oxlint-disable-next-line no-await-in-loop -- one after the other, that is the point
        await work(item)
      } catch (error) {
        failures.push(error instanceof Error ? error : new Error('Failed', { cause: error }))
      }
    }
  }
  await Promise.all(Array.from({ length: atOnce }, workOff))
  return failures
}

/** Starts a run again, from its start, from a step or from its failed node, and opens the new one. */
export function useRunAgain(runId: string) {
  const [, navigate] = useLocation()
  const idempotency = useIdempotencyKey()
  const again = usePlatformMutation('rerun', {
    invalidates: ['listRuns'],
    onSuccess({ run }) {
      idempotency.done()
      showToast({ title: 'Run started again' })
      navigate(`/runs/${encodeURIComponent(run.id)}`)
    },
  })
  return {
    error: again.error,
    isPending: again.isPending,
    start(body: { readonly from_step?: string; readonly from?: 'failed'; readonly task?: string }) {
      again.mutate({ params: { id: runId }, body, headers: idempotency.headersFor([runId, body]) })
    },
  }
}
