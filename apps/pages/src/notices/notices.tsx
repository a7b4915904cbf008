import type { Json } from '@homeward/contract/agent-platform'
import { useEffect } from 'react'
import { useLocation } from 'wouter'
import { useLiveEvents } from '../api/live.ts'
import { notify } from './browser-notices.ts'
import { setTitleCount } from '../components/layout/page-title.ts'
import { useWaitingRuns } from './use-waiting-runs.ts'

const types = ['approval.requested', 'agent.completed']
const toText = (value: Json | undefined) => (typeof value === 'string' ? value.slice(0, 200) : '')

/** Counts in the title of the tab what waits for a person, and notifies those who asked for it. */
export function Notices() {
  const { count } = useWaitingRuns()
  const [, navigate] = useLocation()
  useEffect(() => setTitleCount(count), [count])
  useLiveEvents({ types }, ({ type, run_id: runId, data }) => {
    const agent = toText(data['agent_id'])
    if (type === 'approval.requested') {
      const body = `${agent || 'An agent'} wants to run ${toText(data['tool']) || 'a tool'}.`
      notify('A decision waits for you', body, () => navigate('/'))
    } else if (data['status'] === 'failed' && runId !== undefined) {
      notify('Run failed', agent, () => navigate(`/runs/${encodeURIComponent(runId)}`))
    }
  })
  return null
}
