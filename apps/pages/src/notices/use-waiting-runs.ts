import type { Run } from '@homeward/contract/agent-platform'
import { platformToken } from '../api/access-token.ts'
import { usePlatformQuery } from '../api/platform.ts'
import { useServerFacts } from '../api/server-facts.ts'

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

const isPending = ({ status }: Run['approvals'][number]) => status === 'pending'

/** How many decisions the runs wait for. */
export function countApprovals(runs: readonly Run[]): number {
  return runs.reduce((sum, { approvals }) => sum + approvals.filter(isPending).length, 0)
}
