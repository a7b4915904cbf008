import { useMemo } from 'react'
import { useCloudQuery } from '../api/cloud.ts'
import { usePlatformQuery } from '../api/platform.ts'
import { useIsLimited, useServerFacts } from '../api/server-facts.ts'
import { useDebounced } from '../components/use-debounced.ts'
import { findItems, type FoundItem } from './find-items.ts'
import { type SettingGroup, settingGroups, settingTexts } from '../settings/setting-texts.ts'
import { type Half, isServedBy, isShown, sections } from './sections.ts'

const others: readonly (readonly [href: string, label: string, half: Half, section: string])[] = [
  ['/searches/new', 'New search', 'devices', 'Devices'],
  ['/agents/_new', 'New agent', 'agents', 'Agents'],
  ['/tasks/new', 'New task', 'agents', 'Activity'],
  ['/graphs/_new', 'New graph', 'agents', 'Automations'],
]

/** Every page that can be gone to, of the APIs that are served. */
function knownPages(serves: Parameters<typeof isServedBy>[1], isLimited: boolean): readonly FoundItem[] {
  const listed = sections.flatMap((section) =>
    section.pages
      .filter((page) => isShown(section, page, isLimited))
      .map(({ href, label, half = section.half }) => [href, label, half, section.label] as const),
  )
  return [...listed, ...others.filter(([, , half]) => !isLimited || half === 'devices')]
    .filter(([, , half]) => isServedBy(half, serves))
    .map(([href, label, , section]) => ({
      id: `page ${href}`,
      kind: 'Page',
      label,
      ...(section !== label && { detail: section }),
      href,
    }))
}

/** Every setting, with the way to it. */
function knownSettings(): readonly FoundItem[] {
  return settingGroups.flatMap((group) =>
    group.keys.map((key) => ({
      id: `setting ${key}`,
      kind: 'Setting' as const,
      label: settingTexts[key].label,
      detail: group.title,
      href: hrefOf(group),
    })),
  )
}

function hrefOf({ id }: SettingGroup): string {
  if (id.startsWith('channel_')) return `/channels/${id}`
  return id === 'models' ? '/settings#models' : `/settings/advanced#${id}`
}

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
  const isLimited = useIsLimited()
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
      href: `/${isLimited ? 'chat' : 'agents'}/${encodeURIComponent(id)}`,
    }))
    const pages = knownPages({ agents: hasAgents, devices: hasDevices }, isLimited)
    const tasks = (words.length < shortestForRuns ? [] : (runs?.runs ?? [])).map((run) => ({
      id: `run ${run.id}`,
      kind: 'Run' as const,
      label: run.task.slice(0, longestLabel),
      detail: `${run.graph_id ?? run.agent_id ?? ''}, ${run.status}`,
      href: `/runs/${encodeURIComponent(run.id)}`,
      isMatched: true,
    }))
    return findItems(words, [
      ...devices,
      ...known,
      ...pages,
      ...(hasAgents && !isLimited ? settings : []),
      ...tasks,
    ])
  }, [words, found, agents, runs, hasAgents, hasDevices, isLimited])
}
