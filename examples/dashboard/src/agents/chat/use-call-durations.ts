import type { JournalEvent } from '@homeward/contract/agent-platform'
import { usePlatformQuery } from '../../api/platform.ts'

/**
 * How long the tool calls of a run took, in their order, by the journal: the stream of a run has no times.
 *
 * @param version changes when there may be more of them.
 */
export function useCallDurations(runId: string | undefined, version: number): readonly CallDuration[] {
  const logs = usePlatformQuery(
    'listLogs',
    { query: { run_id: runId ?? '', types: 'tool.completed', since: '0', limit: '1000' } },
    {
      enabled: runId !== undefined && version > 0,
      keepPrevious: true,
      refetchInterval: untilComplete(version),
    },
  )
  return (logs.data?.events ?? []).flatMap(toDuration)
}

/** How long one call took. */
export interface CallDuration {
  readonly callId: string
  readonly ms: number
}

/** The journal is written with the step, a moment behind the stream. */
const untilComplete = (count: number) => (reply: { readonly events: readonly unknown[] } | undefined) =>
  reply !== undefined && reply.events.length < count ? 1000 : false

function toDuration({ data }: JournalEvent): CallDuration[] {
  const { call_id: callId, duration_ms: ms } = data
  return typeof callId === 'string' && typeof ms === 'number' ? [{ callId, ms }] : []
}
