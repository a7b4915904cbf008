import { createDeviceCloud, createSingleUserSessions, type DeviceCloud } from '@homeward/cloud-core'
import { createMemoryBlobs } from '@homeward/cloud-core/blobs/memory'
import { createMemoryStore } from '@homeward/cloud-core/memory'
import { cloudStoreConformance } from '@homeward/cloud-core/testing'
import { createClient } from '@homeward/contract/client'
import { deviceCloudOperations } from '@homeward/contract/device-cloud'
import { createDeviceAgent, DeviceCloudError, type DeviceAgent } from '@homeward/device-sdk'
import { simulateFleet } from '@homeward/device-sdk/simulate'

/** One test that any runtime can run: it resolves, or rejects with what was wrong. */
interface RuntimeCase {
  readonly name: string
  run(): Promise<void>
}

const baseUrl = 'http://localhost:3000'
const registration = { name: 'laptop', type: 'laptop', platform: 'linux', metadata: {} }

function equal(found: unknown, expected: unknown): void {
  const [is, should] = [JSON.stringify(found), JSON.stringify(expected)]
  if (is !== should) throw new Error(`found ${is}, expected ${should}`)
}

/** A cloud in this process, with the clients of a dashboard and of one device. */
async function createWorld() {
  const cloud: DeviceCloud = createDeviceCloud({
    store: createMemoryStore(),
    blobs: createMemoryBlobs(),
    sessions: createSingleUserSessions(),
    checkReplies: true,
  })
  const fetchCloud = (input: string, init: RequestInit) =>
    // Requests that never leave the process know no redirect; some runtimes refuse the mode `manual` for them.
    cloud.fetch(new Request(input, { ...init, redirect: 'follow' }), { remoteAddress: '127.0.0.1' })
  const dashboard = createClient(deviceCloudOperations, { baseUrl, fetch: fetchCloud })
  const { device, apiKey } = await dashboard.registerDevice({ body: registration })
  const agentOf = (key: string): DeviceAgent =>
    createDeviceAgent({
      baseUrl,
      apiKey: key,
      fetch: fetchCloud,
      providers: { system: async () => ({ found: { cpu: '8 cores', memory: '16 GB', disk: '1 TB' } }) },
      files: {
        open: async () => ({
          fileName: 'notes.txt',
          size: 5,
          content: new Blob(['hello']),
          close: async () => {},
        }),
      },
    })
  const search = async () => {
    const body = { query: 'cpu', scope: ['system'], deviceIds: [device.id] }
    return (await dashboard.createSearches({ body })).searchQueries[0]!.id
  }
  return { cloud, dashboard, device, apiKey, agentOf, search, fetchCloud }
}

async function codeOf(work: Promise<unknown>): Promise<string> {
  return await work.then(
    () => 'none',
    (error: unknown) => (DeviceCloudError.is(error) ? error.code : String(error)),
  )
}

const own: readonly RuntimeCase[] = [
  {
    name: 'an agent beats, takes a search, reports it and is online',
    async run() {
      const { cloud, dashboard, apiKey, agentOf, search } = await createWorld()
      const queryId = await search()
      equal(await agentOf(apiKey).runOnce(), { searches: 1, uploads: 0, reports: 1 })
      const { results } = await dashboard.listSearches({ query: { queryId } })
      equal([results[0]?.status, results[0]?.results?.system?.cpu], ['completed', '8 cores'])
      equal((await dashboard.listDevices()).devices[0]?.status, 'online')
      await cloud.close()
    },
  },
  {
    name: 'C22: a poll that is held hears of a search at once, and the loops end when they are stopped',
    async run() {
      const { cloud, apiKey, agentOf, search } = await createWorld()
      const agent = agentOf(apiKey)
      const online = new Promise<void>((resolve) => void agent.on('heartbeat:end', () => resolve()))
      const reported = new Promise<string>(
        (resolve) => void agent.on('report:end', ({ queryId }) => resolve(queryId)),
      )
      agent.start()
      await online
      const queryId = await search()
      equal(await reported, queryId)
      await agent.stop()
      await cloud.close()
    },
  },
  {
    name: 'C4: a file is uploaded by multipart and read back whole',
    async run() {
      const { cloud, dashboard, device, apiKey, agentOf, fetchCloud } = await createWorld()
      const body = { deviceIds: [device.id], filePath: '/home/ada/notes.txt' }
      await dashboard.createUploads({ body })
      equal(await agentOf(apiKey).runOnce(), { searches: 0, uploads: 1, reports: 0 })
      const { results } = await dashboard.listUploads()
      equal(results[0]?.status, 'completed')
      const response = await fetchCloud(results[0]?.fileUrl ?? '', {})
      equal([response.status, await response.text()], [200, 'hello'])
      await cloud.close()
    },
  },
  {
    name: 'C16: a refused key is told as such, and never in the error',
    async run() {
      const { cloud, apiKey, agentOf } = await createWorld()
      const wrong = `${apiKey.slice(0, -4)}AAAA`
      equal(await codeOf(agentOf(wrong).runOnce()), 'UNAUTHORIZED')
      const said = await agentOf(wrong)
        .runOnce()
        .then(() => '', String)
      equal(said.includes(wrong), false)
      await cloud.close()
    },
  },
  {
    name: 'C15: a rotated key works at once',
    async run() {
      const { cloud, dashboard, device, agentOf } = await createWorld()
      const { apiKey } = await dashboard.rotateDeviceKey({ params: { id: device.id } })
      equal(await agentOf(apiKey).runOnce(), { searches: 0, uploads: 0, reports: 0 })
      await cloud.close()
    },
  },
  {
    name: 'C12: too many reports are answered with 429 and an integer Retry-After',
    async run() {
      const { cloud, apiKey, fetchCloud } = await createWorld()
      const report = () =>
        fetchCloud(`${baseUrl}/api/devices/search`, {
          method: 'POST',
          headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
          body: JSON.stringify({ queryId: 'unknown', query: 'q', scope: [], results: {}, error: null }),
        })
      const answers = await Promise.all(Array.from({ length: 60 }, report))
      const refused = answers.filter(({ status }) => status === 429)
      equal(refused.length > 0, true)
      equal(/^[1-9]\d*$/.test(refused[0]?.headers.get('retry-after') ?? ''), true)
      await cloud.close()
    },
  },
  {
    name: 'a request of another form is answered with 400 that names the field',
    async run() {
      const { cloud, fetchCloud } = await createWorld()
      const response = await fetchCloud(`${baseUrl}/api/devices`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{"name":7}',
      })
      const { error, message } = (await response.json()) as { error: string; message: string }
      equal([response.status, error, message.includes('name')], [400, 'Validation error', true])
      await cloud.close()
    },
  },
  {
    name: 'a simulated fleet settles its searches',
    async run() {
      const { searches } = await simulateFleet({
        devices: 5,
        hours: 0.2,
        searchesPerDevicePerDay: 500,
        faults: [{ kind: 'lost-answers', atSeconds: 300, forSeconds: 100, share: 0.5 }],
        cloud: (world) =>
          createDeviceCloud({
            ...world,
            store: createMemoryStore(),
            blobs: createMemoryBlobs(),
            sessions: createSingleUserSessions(),
          }),
      })
      equal([searches.created > 0, searches.lost, searches.failed], [true, 0, 0])
    },
  },
]

/** What every runtime has to pass: the device side, the cloud, and the kit of the memory store. */
export const deviceCloudCases: readonly RuntimeCase[] = [
  ...own,
  ...cloudStoreConformance.map(({ name, run }) => ({
    name: `memory store: ${name}`,
    run: async () => run({ create: async () => ({ store: createMemoryStore() }) }),
  })),
]

/** What became of one case. */
export interface CaseOutcome {
  readonly name: string
  /** What was wrong; null when nothing was. */
  readonly error: string | null
}

/** Runs every case, one after the other. */
export async function runCases(cases: readonly RuntimeCase[]): Promise<CaseOutcome[]> {
  const outcomes: CaseOutcome[] = []
  for (const { name, run } of cases) {
    const error = await run().then(
      () => null,
      (cause: unknown) => (cause instanceof Error ? (cause.stack ?? cause.message) : String(cause)),
    )
    outcomes.push({ name, error })
  }
  return outcomes
}
