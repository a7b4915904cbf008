import { deviceCloudEvents, type DeviceCloudOperationId } from '@homeward/contract/device-cloud'
import { readEvents } from '@homeward/contract/events'
import type { QueryClient } from '@tanstack/react-query'
import { cloud } from './cloud.ts'
import { refresh } from './refresh.ts'

/** Longer than the server keeps a stream without an event. */
const timeoutMs = 10 * 60_000
/** A burst of events makes one read of what shows. */
const collectMs = 300
const shortestPauseMs = 1000
const longestPauseMs = 30_000
/** How often lists are read again that events keep up to date. */
const followedMs = 30_000

const devices: readonly DeviceCloudOperationId[] = ['listDevices', 'getDevice', 'getDevicePresence']
const searches: readonly DeviceCloudOperationId[] = ['listSearches', 'getSearchGroup', 'listSearchGroups']
const uploads: readonly DeviceCloudOperationId[] = ['listUploads']
const byKind: Readonly<Record<string, readonly DeviceCloudOperationId[]>> = {
  device: devices,
  search: searches,
  group: searches,
  upload: uploads,
  reset: [...devices, ...searches, ...uploads],
}

let isFollowing = false

/** How long to wait before a list is read again: seldom while events tell what changes. */
export const untilNextRead = (ms: number): number => (isFollowing ? Math.max(ms, followedMs) : ms)

/**
 * Follows the events of the user's devices while the page is visible, and has queries read again that an event may have
 * changed. A hidden page holds no connection: browsers open few to one server.
 *
 * @returns ends it.
 */
export function startDeviceEvents(queries: QueryClient): () => void {
  const changed = new Set<string>()
  let collecting: ReturnType<typeof setTimeout> | undefined
  let lastId: string | undefined
  let run: AbortController | undefined

  const note = (kind: string) => {
    for (const id of byKind[kind] ?? []) changed.add(id)
    collecting ??= setTimeout(() => {
      collecting = undefined
      const ids = new Set(changed)
      changed.clear()
      void refresh(queries, { predicate: ({ queryKey }) => ids.has(String(queryKey[0])) })
    }, collectMs)
  }

  async function follow(signal: AbortSignal): Promise<void> {
    for (let failures = 0; !signal.aborted; failures += 1) {
      try {
        const headers = lastId === undefined ? {} : { 'last-event-id': lastId }
        const stream = await cloud.streamDeviceEvents({ headers, signal, timeoutMs })
        isFollowing = true
        // Events between the last read and the stream are not known to it.
        if (lastId === undefined) note('reset')
        for await (const { id, event } of readEvents(stream, deviceCloudEvents)) {
          lastId = id ?? lastId
          failures = 0
          note(event.split('.')[0]!)
        }
      } catch {
        // The server stopped, or refuses: whatever the page reads says so.
      }
      isFollowing = false
      await pause(Math.min(shortestPauseMs * 2 ** failures, longestPauseMs), signal)
    }
  }

  const onVisibility = () => {
    if (document.visibilityState === 'hidden') run?.abort()
    else if (run === undefined || run.signal.aborted) {
      run = new AbortController()
      void follow(run.signal)
    }
  }
  document.addEventListener('visibilitychange', onVisibility)
  onVisibility()
  return () => {
    document.removeEventListener('visibilitychange', onVisibility)
    run?.abort()
    clearTimeout(collecting)
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}
