import type { JournalEvent } from '@homeward/contract/agent-platform'
import { useQueryClient } from '@tanstack/react-query'
import { useLiveEvents } from '../../api/live.ts'
import { usePlatformQuery } from '../../api/platform.ts'
import { refresh } from '../../api/refresh.ts'

const types = 'tool.completed'

/**
 * How long the tool calls of a run took, in their order, by the journal: the stream of a run has no times.
 *
 * @param hasCalls whether any has ended.
 */
export function useCallDurations(runId: string | undefined, hasCalls: boolean): readonly CallDuration[] {
  const queries = useQueryClient()
  const input = { query: { run_id: runId ?? '', types, since: '0', limit: '1000' } }
  const logs = usePlatformQuery('listLogs', input, { enabled: runId !== undefined && hasCalls })
  // The journal is written with the step, a moment behind the stream.
  useLiveEvents({ types: [types] }, (event) => {
    if (event.run_id === runId) void refresh(queries, { queryKey: ['listLogs', input] })
  })
  return (logs.data?.events ?? []).flatMap(toDuration)
}

/** How long one call took. */
export interface CallDuration {
  readonly callId: string
  readonly ms: number
}

function toDuration({ data }: JournalEvent): CallDuration[] {
  const { call_id: callId, duration_ms: ms } = data
  return typeof callId === 'string' && typeof ms === 'number' ? [{ callId, ms }] : []
}
