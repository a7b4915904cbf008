import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  createDeviceCloud,
  createSingleUserSessions,
  type BlobStore,
  type DeviceCloud,
  type DeviceCloudOptions,
  type UserCall,
} from '@homeward/cloud-core'
import { createMemoryBlobs } from '@homeward/cloud-core/blobs/memory'
import { createMemoryStore } from '@homeward/cloud-core/memory'
import { onTestFinished } from 'vitest'

/** What happens to one request instead of what should. */
type Fault =
  /** The cloud does its work and nobody hears of it. */
  | 'withhold-answer'
  /** The cloud never sees the request, and nobody answers. */
  | 'hang'

/** A real cloud behind a real port that can be told to fail. */
export interface FaultyCloud {
  readonly cloud: DeviceCloud
  readonly url: string
  /** Who owns everything in it. */
  readonly user: UserCall
  /** How often each search or upload request was settled, by id. */
  readonly settled: ReadonlyMap<string, number>
  /** Decides what happens to a request by its path; undefined for nothing special. */
  fault: (path: string) => Fault | undefined
  /** Breaks every connection, as a router does that loses its power. */
  cut(): void
  /** Moves the cloud's clock forward. */
  advance(ms: number): void
  /** Resolves when a fault took effect: with `withhold-answer` after the cloud did its work. */
  nextFault(): Promise<void>
  /** Resolves when `id` is settled. */
  settlement(id: string): Promise<void>
  register(): Promise<{ id: string; apiKey: string }>
}

/** Starts a cloud on a free port of this machine; it ends with the test. */
export async function startFaultyCloud(
  blobs: BlobStore = createMemoryBlobs(),
  options: Partial<DeviceCloudOptions> = {},
): Promise<FaultyCloud> {
  let aheadMs = 0
  const cloud = createDeviceCloud({
    store: createMemoryStore(),
    blobs,
    sessions: createSingleUserSessions(),
    now: () => Date.now() + aheadMs,
    ...options,
  })
  const settled = new Map<string, number>()
  const onSettled = new Set<() => void>()
  const note = (id: string) => {
    settled.set(id, (settled.get(id) ?? 0) + 1)
    for (const check of onSettled) check()
  }
  cloud.events.on('search:settled', ({ searchId }) => note(searchId))
  cloud.events.on('upload:settled', ({ requestId }) => note(requestId))

  let faultHit = Promise.withResolvers<void>()
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const fault = self.fault(request.url ?? '')
    if (fault === 'withhold-answer') mute(response)
    if (fault !== 'hang') await cloud.node(request, response)
    if (fault) faultHit.resolve()
  }
  const server = createServer((request, response) => void serve(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const user = { userId: 'local', origin: url }
  onTestFinished(async () => {
    server.closeAllConnections()
    server.close()
    await cloud.close({ graceMs: 1000 })
  })

  const self: FaultyCloud = {
    cloud,
    url,
    user,
    settled,
    fault: () => undefined,
    cut: () => server.closeAllConnections(),
    advance: (ms) => void (aheadMs += ms),
    async nextFault() {
      await faultHit.promise
      faultHit = Promise.withResolvers()
    },
    settlement: (id) =>
      new Promise((resolve) => {
        const check = () => {
          if (!settled.has(id)) return
          onSettled.delete(check)
          resolve()
        }
        onSettled.add(check)
        check()
      }),
    async register() {
      const registration = { name: 'device', type: 'server', platform: 'linux', metadata: {} }
      const { device, apiKey } = await cloud.registerDevice(user, registration)
      return { id: device.id, apiKey }
    },
  }
  return self
}

/** What is answered from now on goes nowhere; the connection stays open. */
function mute(response: ServerResponse): void {
  response.writeHead = () => response
  response.write = () => true
  response.end = () => response
}
