import { deviceCloudOperations, type DeviceCloudOperations } from '@homeward/contract/device-cloud'
import type { ReplyOf } from '@homeward/contract'
import type { PlainReply, RequestView } from '@homeward/contract/handler'
import { DeviceCloudError } from '../device-cloud-error.ts'
import { DeviceRequest } from './device-request.ts'

/** Outcomes of the searches in a simulation. */
export interface SearchCounts {
  /** Number of searches that the cloud reported as created. */
  created: number
  completed: number
  failed: number
  pending: number
  /** Number of created searches that the cloud no longer has. */
  lost: number
  /** Seconds from creation to outcome: the median, and the 99th percentile. */
  p50Seconds: number
  p99Seconds: number
}

/** The users' side of a simulated fleet, over the same handlers. */
export interface FleetDashboard {
  /** Registers a device and gives its id and API key. */
  register(name: string): Promise<{ readonly id: string; readonly apiKey: string }>
  /** Creates one search for each device; at most 1,000. */
  search(deviceIds: readonly string[]): Promise<void>
  /** Reads every search that was created. */
  countSearches(): Promise<SearchCounts>
}

type Respond = (request: RequestView) => Promise<PlainReply>
type CallId = 'registerDevice' | 'createSearches' | 'listSearches'

const encoder = new TextEncoder()

/** Builds the users' side; `headers` carry the session. */
export function createFleetDashboard(
  respond: Respond,
  headers: Readonly<Record<string, string>>,
): FleetDashboard {
  const created = new Set<string>()
  const { signal } = new AbortController()

  async function call<Id extends CallId>(
    id: Id,
    parts: { readonly body?: unknown; readonly search?: string },
  ): Promise<ReplyOf<DeviceCloudOperations[Id]>> {
    const { body, search } = parts
    const view = new DeviceRequest(deviceCloudOperations[id], {
      headers,
      signal,
      ...(search === undefined ? {} : { search }),
      ...(body === undefined ? {} : { body: encoder.encode(JSON.stringify(body)) }),
    })
    const reply = await respond(view)
    if (reply.status > 299 || typeof reply.body !== 'string') {
      const said = typeof reply.body === 'string' ? reply.body.slice(0, 200) : ''
      throw new DeviceCloudError(
        'REJECTED',
        `Simulating a fleet failed: the cloud responded to ${id} with ${reply.status} ${said}. Pass a cloud and "headers" that authenticate a user.`,
      )
    }
    // The cloud's own handlers wrote it; the devices' answers are the ones that are checked.
    return JSON.parse(reply.body) as ReplyOf<DeviceCloudOperations[Id]>
  }

  return {
    async register(name) {
      const body = { name, type: 'iot', platform: 'linux', metadata: {} }
      const { device, apiKey } = await call('registerDevice', { body })
      return { id: device.id, apiKey }
    },
    async search(deviceIds) {
      const { searchQueries } = await call('createSearches', {
        body: { query: 'report', scope: ['system'], deviceIds },
      })
      for (const { id } of searchQueries) created.add(id)
    },
    async countSearches() {
      const missing = new Set(created)
      const counts = { created: created.size, completed: 0, failed: 0, pending: 0 }
      const tookMs: number[] = []
      for (let cursor: string | undefined = ''; cursor !== undefined;) {
        const page: ReplyOf<DeviceCloudOperations['listSearches']> = await call('listSearches', {
          search: `limit=500${cursor && `&cursor=${encodeURIComponent(cursor)}`}`,
        })
        for (const { id, status, createdAt, completedAt } of page.results) {
          if (!missing.delete(id)) continue
          counts[status] += 1
          if (completedAt) tookMs.push(Date.parse(completedAt) - Date.parse(createdAt))
        }
        cursor = page.nextCursor
      }
      tookMs.sort((a, b) => a - b)
      const within = (share: number) => (tookMs[Math.floor(tookMs.length * share)] ?? 0) / 1000
      return { ...counts, lost: missing.size, p50Seconds: within(0.5), p99Seconds: within(0.99) }
    },
  }
}
