import type { Json, ListedWait, Run } from '@homeward/contract/agent-platform'
import { useEffect } from 'react'
import { useLocation } from 'wouter'
import { useLiveEvents } from '../api/live.ts'
import { notify } from './browser-notices.ts'
import { setTitleCount } from '../components/layout/page-title.ts'
import { platformToken } from '../api/access-token.ts'
import { usePlatformQuery } from '../api/platform.ts'
import { useServerFacts } from '../api/server-facts.ts'

const types = ['approval.requested', 'wait.opened', 'agent.completed']
const toText = (value: Json | undefined) => (typeof value === 'string' ? value.slice(0, 200) : '')

/** Counts in the title of the tab what waits for a person, and notifies those who asked for it. */
export function Notices() {
  const count = useAnswersWanted()
  const [, navigate] = useLocation()
  useEffect(() => setTitleCount(count), [count])
  useLiveEvents({ types }, ({ type, run_id: runId, data }) => {
    const agent = toText(data['agent_id'])
    if (type === 'approval.requested') {
      const body = `${agent || 'An agent'} wants to run ${toText(data['tool']) || 'a tool'}.`
      notify('A decision waits for you', body, () => navigate('/'))
    } else if (type === 'wait.opened') {
      if (data['kind'] === 'question') notify('A question waits for you', agent, () => navigate('/waiting'))
    } else if (data['status'] === 'failed' && runId !== undefined) {
      notify('Run failed', agent, () => navigate(`/runs/${encodeURIComponent(runId)}`))
    }
  })
  return null
}

/** More than a person looks at; the page of the runs has all. */
const waitingQuery = { query: { status: 'waiting', limit: '50' } } as const

/** Runs that go on only once a person has decided. */
export function useWaitingRuns() {
  const isServed = useServerFacts()?.serves.agents === true
  // Pages of devices show it too, but ask nobody to sign in for it.
  const isSignedIn = !platformToken.useSignIn().isNeeded
  const { data, error } = usePlatformQuery('listRuns', waitingQuery, { enabled: isServed && isSignedIn })
  // A graph's run waits for the same as the run of its node, which has the approval.
  const runs = data?.runs.filter(({ approvals }) => approvals.some(isPending)) ?? []
  return { runs, count: countApprovals(runs), error, isKnown: data !== undefined }
}

/** How many answers of people the runs wait for. */
export function useAnswersWanted(): number {
  const { count } = useWaitingRuns()
  return count + useAskedPeople().length
}

const waitsQuery = { query: { limit: '50' } } as const
/** The kinds of waits, other than approvals, that a person answers. */
const asked = new Set(['question', 'login', 'budget'])

/** The waits, beside approvals, that a person answers. */
export function useAskedPeople(): readonly ListedWait[] {
  const isServed = useServerFacts()?.serves.agents === true
  const isSignedIn = !platformToken.useSignIn().isNeeded
  const { data } = usePlatformQuery('listWaits', waitsQuery, { enabled: isServed && isSignedIn })
  return data?.waits.filter(({ kind }) => asked.has(kind)) ?? []
}

const isPending = ({ status }: Run['approvals'][number]) => status === 'pending'

/** How many decisions the runs wait for. */
function countApprovals(runs: readonly Run[]): number {
  return runs.reduce((sum, { approvals }) => sum + approvals.filter(isPending).length, 0)
}
