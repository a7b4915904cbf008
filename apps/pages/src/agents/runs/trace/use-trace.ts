import type { Run } from '@homeward/contract/agent-platform'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useLiveEvents } from '../../../api/live.ts'
import { usePlatformPages, usePlatformQueries, usePlatformQuery } from '../../../api/platform.ts'
import { refresh } from '../../../api/refresh.ts'
import { runsOf } from '../../../api/rows-of.ts'

/** The words of a model come without an event. */
const liveMs = 1000
const pauseMs = 400

/** The steps of a run, the runs that it asked for, and the steps of those that are unfolded; live while it works. */
export function useTrace(run: Run, unfolded: readonly string[]) {
  const queries = useQueryClient()
  const isOpen = run.status === 'running' || run.status === 'waiting'
  const steps = usePlatformQuery(
    'listRunSteps',
    { params: { id: run.id } },
    { refetchInterval: run.status === 'running' && liveMs },
  )
  const children = usePlatformPages(
    'listRuns',
    { query: { parent_run_id: run.id, limit: '200' } },
    { select: runsOf },
  )
  const inner = usePlatformQueries(
    'listRunSteps',
    unfolded.map((id) => ({ params: { id } })),
  )
  const ids = [run.id, ...unfolded]
  useLiveEvents({}, ({ run_id = '' }) => {
    if (ids.includes(run_id)) void refresh(queries, { queryKey: ['listRunSteps'] }, pauseMs)
  })
  // Its last step may have ended after the last read.
  useEffect(() => void refresh(queries, { queryKey: ['listRunSteps'] }), [queries, isOpen])
  const childSteps = new Map(unfolded.map((id, place) => [id, inner[place]?.steps ?? []]))
  return { steps, children, childSteps }
}
