import { join } from 'node:path'
import { createDeviceCloud, createSingleUserSessions } from '@homeward/cloud-core'
import { createMemoryBlobs } from '@homeward/cloud-core/blobs/memory'
import { createMemoryStore } from '@homeward/cloud-core/memory'
import { createSqliteStore } from '@homeward/cloud-core/sqlite'
import { answerParent } from '../child.ts'
import { memoryInUse } from '../memory-in-use.ts'

/** What the process that holds devices can be asked for. */
export type HoldDevicesCalls = typeof calls

const [storeKind = '', home = ''] = process.argv.slice(2)
const cloud = createDeviceCloud({
  store: storeKind === 'memory' ? createMemoryStore() : createSqliteStore({ path: join(home, 'cloud.db') }),
  blobs: createMemoryBlobs(),
  sessions: createSingleUserSessions(),
})
const chunk = 1000
const metadata = { os: 'Linux 6.12', version: '1.4.0', hardware: '4 cores, 8 GiB' }

async function beat(apiKey: string): Promise<void> {
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
  const init = { method: 'POST', headers, body: JSON.stringify({ metadata }) }
  const response = await cloud.fetch(new Request('http://127.0.0.1/api/devices/heartbeat', init))
  if (response.status !== 200) throw new Error(`Sending a heartbeat: the cloud answered ${response.status}.`)
  await response.arrayBuffer()
}

async function registerAndBeat(index: number): Promise<void> {
  const registration = { name: `device ${index}`, type: 'server', platform: 'linux', metadata: {} }
  const { apiKey } = await cloud.registerDevice({ userId: 'local' }, registration)
  // The first beat looks the key up, the second one finds it in the cache, as every later one does.
  await beat(apiKey)
  await beat(apiKey)
}

const calls = {
  /** Registers devices and takes heartbeats of each; keeps nothing but what the cloud keeps. */
  async hold(count: number): Promise<void> {
    for (let start = 0; start < count; start += chunk) {
      const size = Math.min(chunk, count - start)
      await Promise.all(Array.from({ length: size }, (_, index) => registerAndBeat(start + index)))
    }
  },

  /** Bytes in use once the garbage is gone. */
  usage: memoryInUse,
}
answerParent(calls, () => cloud.close())
