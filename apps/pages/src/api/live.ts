import type { JournalEvent, AgentPlatformOperations } from '@homeward/contract/agent-platform'
import type { QueryClient } from '@tanstack/react-query'
import { useEffect, useEffectEvent } from 'react'
import { platformToken } from './access-token.ts'
import { setConnection } from './connection.ts'
import { openEventConnection } from './event-connection.ts'
import { refresh } from './refresh.ts'

export { type Connection, useConnection } from './connection.ts'

/** Which events a listener gets; what is left out does not matter. */
export interface EventFilter {
  readonly types?: readonly string[]
  readonly runId?: string
}

/** A burst of events makes one read of what shows; between two reads there is time for what people ask for. */
const collectMs = 400

const listeners = new Set<(event: JournalEvent) => void>()

/**
 * Keeps what the page shows up to date: holds the page's one connection to `/agent-platform/api/events`, and has queries read anew that an
 * event may have changed. To be called once.
 *
 * @returns ends it.
 */
export function startLiveEvents(queries: QueryClient): () => void {
  const changed = new Set<string>()
  let timer: ReturnType<typeof setTimeout> | undefined

  function flush(): void {
    timer = undefined
    for (const id of changed) void refresh(queries, { queryKey: [id] }, collectMs)
    changed.clear()
  }

  const close = openEventConnection({
    url: `${location.origin.replace(/^http/, 'ws')}/agent-platform/api/events`,
    readToken: platformToken.read,
    onEvent(event) {
      for (const id of invalidatedBy(event.type)) changed.add(id)
      timer ??= setTimeout(flush, collectMs)
      for (const listener of listeners) listener(event)
    },
    onGap: () => void refresh(queries, {}),
    onOpen: () => setConnection('online'),
    onLost: () => setConnection('connecting'),
  })
  return () => {
    clearTimeout(timer)
    close()
  }
}

/** Calls the listener with each event as it happens, while the component shows. It may change between renders. */
export function useLiveEvents(filter: EventFilter, listener: (event: JournalEvent) => void): void {
  const onEvent = useEffectEvent((event: JournalEvent) => {
    if (filter.types !== undefined && !filter.types.includes(event.type)) return
    if (filter.runId !== undefined && event.run_id !== filter.runId) return
    listener(event)
  })
  useEffect(() => {
    const own = (event: JournalEvent) => onEvent(event)
    listeners.add(own)
    return () => void listeners.delete(own)
  }, [])
}

type Id = keyof AgentPlatformOperations

const runs: readonly Id[] = ['listRuns', 'getRun']
// The list of tasks follows them by itself.
const tasks: readonly Id[] = ['getTask']

const byFamily: Readonly<Record<string, readonly Id[]>> = {
  task: tasks,
  agent: [...runs, ...tasks, 'listConversations', 'getConversation'],
  model: runs,
  graph: [...runs, ...tasks],
  tool: runs,
  approval: [...runs, ...tasks],
  wait: [...runs, ...tasks, 'listWaits'],
  schedule: ['listSchedules', ...tasks],
  channel: ['getChannelStatus', 'listChannelMessages', 'listChannelSenders', 'listConversations'],
  skill: ['listSkills', 'getSkill'],
}

/** Operations whose answers may be others after an event of this kind. */
function invalidatedBy(type: string): readonly Id[] {
  return byFamily[type.slice(0, type.indexOf('.'))] ?? []
}
