import type { JournalEvent } from '@homeward/contract/agent-platform'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useLiveEvents } from '../../api/live.ts'
import { refresh } from '../../api/refresh.ts'
import { platform } from '../../api/platform.ts'

const pageSize = 1000
/** Between two reads: a run that works has many events. */
const pauseMs = 400
/** More steps than that nobody looks at. */
const mostEvents = 5000

/** What the journal says of a run. */
export interface RunJournal {
  /** Oldest first. */
  readonly events: readonly JournalEvent[]
  /** Whether there are more, which were not read. */
  readonly isCut: boolean
}

/** What the journal says of a run, up to date as long as it goes on. */
export function useRunJournal(runId: string) {
  const queries = useQueryClient()
  const queryKey = ['listLogs', 'run', runId]
  useLiveEvents({ runId }, () => void refresh(queries, { queryKey }, pauseMs))
  return useQuery({ queryKey, queryFn: ({ signal }) => readJournal(runId, signal) })
}

async function readJournal(runId: string, signal: AbortSignal): Promise<RunJournal> {
  const events: JournalEvent[] = []
  let isWhole = false
  while (!isWhole && events.length < mostEvents) {
    const since = String(events.at(-1)?.seq ?? 0)
    const query = { run_id: runId, since, limit: String(pageSize) }
    const page = (await platform.listLogs({ query, signal })).events
    events.push(...page)
    isWhole = page.length < pageSize
  }
  return { events, isCut: !isWhole }
}
