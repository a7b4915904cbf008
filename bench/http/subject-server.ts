import { createMemoryStore } from '@homeward/cloud-core/memory'
import { startCloudServer } from '../../apps/homeward/src/server/start-cloud-server.ts'
import { answerParent } from '../child.ts'

/** What the cloud under test can be asked for. */
export type SubjectServerCalls = typeof calls

/** A device as its owner sees it, and what it calls with. */
export interface RegisteredDevice {
  readonly id: string
  readonly apiKey: string
}

const [storeKind = '', home = ''] = process.argv.slice(2)
const user = { userId: 'local' }
const settings = { cloudHost: '127.0.0.1', cloudPort: 0, home }
const server = await startCloudServer(settings, storeKind === 'memory' ? createMemoryStore() : undefined)
const { cloud } = server

const registration = { type: 'server', platform: 'linux', metadata: {} }
const search = { query: 'invoice', scope: ['files', 'system'] }
const largestCall = 1000

const calls = {
  port: () => Number(new URL(server.url).port),
  cpuMicros: () => process.cpuUsage().user + process.cpuUsage().system,

  async register(count: number): Promise<readonly RegisteredDevice[]> {
    const registered = Array.from({ length: count }, (_, index) =>
      cloud.registerDevice(user, { ...registration, name: `device ${index}` }),
    )
    return (await Promise.all(registered)).map(({ device, apiKey }) => ({ id: device.id, apiKey }))
  },

  /** One pending search for each device, in their order. */
  async createSearches(deviceIds: readonly string[]): Promise<readonly string[]> {
    const ids: string[] = []
    for (let start = 0; start < deviceIds.length; start += largestCall) {
      const body = { ...search, deviceIds: deviceIds.slice(start, start + largestCall) }
      ids.push(...(await cloud.createSearches(user, body)).searchQueries.map(({ id }) => id))
    }
    return ids
  },

  /** How many searches have a status, read page by page as a dashboard would. */
  async countSearches(status: 'pending' | 'completed' | 'failed'): Promise<number> {
    let count = 0
    let cursor: string | undefined
    do {
      const page = await cloud.listSearches(user, { status, limit: 500, ...(cursor && { cursor }) })
      count += page.results.length
      cursor = page.nextCursor
    } while (cursor !== undefined)
    return count
  },
}
answerParent(calls, () => server.close())
