import { useLocation } from 'wouter'
import { usePlatformMutation } from '../../api/platform.ts'
import { useIdempotencyKey } from '../../api/use-idempotency-key.ts'
import { showToast } from '../../components/states/toasts.tsx'

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
