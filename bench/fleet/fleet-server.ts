import { createPostgresStore } from '@homeward/cloud-core/postgres'
import { startCloudServer } from '../../apps/homeward/src/server/start-cloud-server.ts'
import { answerParent } from '../child.ts'
import { serveTls } from './serve-tls.ts'

/** What a server of a fleet can be asked for. */
export type FleetServerCalls = typeof calls

const [connectionString = '', home = '', tlsPort = ''] = process.argv.slice(2)
const statements = { read: 0, write: 0 }
const store = await createPostgresStore({
  connectionString,
  onStatement: ({ kind }) => {
    statements[kind] += 1
  },
})
const server = await startCloudServer({ cloudHost: '127.0.0.1', cloudPort: 0, home }, store)
const largestCall = 1000
if (tlsPort !== '') await serveTls(Number(tlsPort), Number(new URL(server.url).port), home)

const calls = {
  port: () => Number(new URL(server.url).port),
  cpuMicros: () => process.cpuUsage().user + process.cpuUsage().system,
  /** Bytes of memory of the process. */
  rssBytes: () => process.memoryUsage().rss,
  /** Searches each device of the fleet. */
  async searchFleet(): Promise<void> {
    const body = { query: 'invoice', scope: ['files'], filter: { type: 'server' } }
    await server.cloud.createSearches({ userId: 'local' }, body)
  },
  /** Statements sent so far. */
  statements: () => ({ ...statements }),

  /** One pending search for each device, in their order. */
  async createSearches(deviceIds: readonly string[]): Promise<readonly string[]> {
    const ids: string[] = []
    for (let start = 0; start < deviceIds.length; start += largestCall) {
      const body = {
        query: 'invoice',
        scope: ['files', 'system'],
        deviceIds: deviceIds.slice(start, start + largestCall),
      }
      const created = await server.cloud.createSearches({ userId: 'local' }, body)
      ids.push(...created.searchQueries.map(({ id }) => id))
    }
    return ids
  },
}
answerParent(calls, () => server.close())
