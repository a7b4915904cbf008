import { useMemo } from 'react'
import { useCloudQuery } from '../../api/cloud.ts'
import { usePlatformQuery } from '../../api/platform.ts'
import { useServerFacts } from '../../api/server-facts.ts'
import { useDebounced } from '../../components/use-debounced.ts'
import { findItems, type FoundItem } from './find-items.ts'
import { knownPages, knownSettings } from './known-pages.ts'

const settings = knownSettings()
/** The server searches the texts of runs: not for a letter or two. */
const shortestForRuns = 3
const longestText = 200
const longestLabel = 120

/** What the words lead to: devices, agents and runs of the servers, pages and settings of the application. */
export function useFound(text: string): readonly FoundItem[] {
  const words = text.trim()
  const sent = useDebounced(words, 150).slice(0, longestText)
  const serves = useServerFacts()?.serves
  const hasAgents = serves?.agents !== false
  const hasDevices = serves?.devices !== false
  const { data: found } = useCloudQuery(
    'listDevices',
    { query: { text: sent || '-', limit: '5' } },
    { enabled: hasDevices && sent !== '', keepPrevious: true },
  )
  const { data: agents } = usePlatformQuery('listAgents', {}, { enabled: hasAgents && words !== '' })
  const { data: runs } = usePlatformQuery(
    'listRuns',
    { query: { q: sent || '-', limit: '5' } },
    { enabled: hasAgents && sent.length >= shortestForRuns, keepPrevious: true },
  )
  return useMemo(() => {
    const devices = (found?.devices ?? []).map(({ id, name, platform, status }) => ({
      id: `device ${id}`,
      kind: 'Device' as const,
      label: name,
      detail: `${platform}, ${status}`,
      href: `/devices/${encodeURIComponent(id)}`,
      isMatched: true,
    }))
    const known = (agents?.agents ?? []).map(({ id, name, model }) => ({
      id: `agent ${id}`,
      kind: 'Agent' as const,
      label: name ?? id,
      detail: model,
      href: `/agents/${encodeURIComponent(id)}`,
    }))
    const pages = knownPages((half) => (half === 'agents' ? hasAgents : hasDevices))
    const tasks = (words.length < shortestForRuns ? [] : (runs?.runs ?? [])).map((run) => ({
      id: `run ${run.id}`,
      kind: 'Run' as const,
      label: run.task.slice(0, longestLabel),
      detail: `${run.graph_id ?? run.agent_id ?? ''}, ${run.status}`,
      href: `/runs/${encodeURIComponent(run.id)}`,
      isMatched: true,
    }))
    return findItems(words, [...devices, ...known, ...pages, ...(hasAgents ? settings : []), ...tasks])
  }, [words, found, agents, runs, hasAgents, hasDevices])
}
