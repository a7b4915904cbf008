import { createDeviceCloud, createSingleUserSessions } from '@homeward/cloud-core'
import { createMemoryBlobs } from '@homeward/cloud-core/blobs/memory'
import { createPostgresStore } from '@homeward/cloud-core/postgres'
import type { RegisteredDevice } from '../http/subject-server.ts'
import { answerParent } from '../child.ts'
import { memoryInUse } from '../memory-in-use.ts'

/** What the process that holds polls can be asked for. */
export type HoldPollsCalls = typeof calls

const [connectionString = ''] = process.argv.slice(2)
const cloud = createDeviceCloud({
  store: await createPostgresStore({ connectionString }),
  blobs: createMemoryBlobs(),
  sessions: createSingleUserSessions(),
})
const chunk = 1000
let held: Promise<Response>[] = []

const poll = ({ apiKey }: RegisteredDevice, wait: number) =>
  cloud.fetch(
    new Request('http://127.0.0.1/api/devices/search/pending', {
      headers: { authorization: `Bearer ${apiKey}`, prefer: `wait=${wait}` },
    }),
  )

const calls = {
  /** Looks each key up once, so that what is measured afterwards is the waiting. */
  async warmUp(devices: readonly RegisteredDevice[]): Promise<void> {
    for (let start = 0; start < devices.length; start += chunk)
      await Promise.all(devices.slice(start, start + chunk).map((device) => poll(device, 0)))
  },
  /** Lets each device wait for work. */
  async hold(devices: readonly RegisteredDevice[]): Promise<void> {
    held = devices.map((device) => poll(device, 60))
    // Behind their first reads.
    await poll(devices[0]!, 0)
  },
  /** Adds work for some of them; gives how long it took until all of them had it, in milliseconds. */
  async wake(devices: readonly RegisteredDevice[]): Promise<number> {
    const startedAt = performance.now()
    const waiting = held.slice(0, devices.length)
    const deviceIds = devices.map(({ id }) => id)
    await cloud.createSearches({ userId: 'local' }, { query: 'q', scope: ['files'], deviceIds })
    await Promise.all(waiting)
    return performance.now() - startedAt
  },
  /** Bytes in use once the garbage is gone. */
  usage: memoryInUse,
}
answerParent(calls, () => cloud.close())
