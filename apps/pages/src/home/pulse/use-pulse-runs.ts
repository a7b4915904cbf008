import { useQuery } from '@tanstack/react-query'
import { platform } from '../../api/platform.ts'
import type { PulseRun } from './pulse-series.ts'

const pageSize = '500'
const mostPages = 4
const readAgainMs = 30_000

/** Runs that began at a time or later. */
export interface PulseRuns {
  readonly runs: readonly PulseRun[]
  /** Whether there are older ones that were not read. */
  readonly isCut: boolean
}

/** The newest runs since a time, at most 2,000. They are read every 30 seconds, not with each event: they may be many. */
export function usePulseRuns(from: string) {
  return useQuery({
    queryKey: ['pulse', from],
    queryFn: ({ signal }) => readRuns(from, signal),
    refetchInterval: readAgainMs,
    staleTime: readAgainMs / 2,
  })
}

async function readRuns(from: string, signal: AbortSignal): Promise<PulseRuns> {
  const runs: PulseRun[] = []
  let cursor: string | undefined
  for (let page = 0; page < mostPages; page += 1) {
    const query = { from, limit: pageSize, ...(cursor !== undefined && { cursor }) }
    const reply = await platform.listRuns({ query, signal })
    for (const {
      created_at: createdAt,
      status,
      duration_ms: durationMs,
      parent_run_id: parent,
    } of reply.runs) {
      if (parent === undefined) runs.push({ createdAt, status, durationMs })
    }
    cursor = reply.next_cursor
    if (cursor === undefined) break
  }
  return { runs, isCut: cursor !== undefined }
}
