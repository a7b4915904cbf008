import { createDeviceCloud, createSingleUserSessions, type DeviceCloudOptions } from '@homeward/cloud-core'
import { createMemoryBlobs } from '@homeward/cloud-core/blobs/memory'
import { createMemoryStore } from '@homeward/cloud-core/memory'
import type { FleetEnvironment, SimulatedCloud } from '@homeward/device-sdk/simulate'

/** The real cloud, on a fleet's clock. */
export function realCloud(
  world: FleetEnvironment,
  options: Partial<DeviceCloudOptions> = {},
): SimulatedCloud {
  return createDeviceCloud({
    ...world,
    store: createMemoryStore(),
    blobs: createMemoryBlobs(),
    sessions: createSingleUserSessions(),
    ...options,
  })
}

/** The same cloud as one that knows the documented interface only: it holds no poll and tells of no pending work. */
export function documentedCloud(world: FleetEnvironment): SimulatedCloud {
  const cloud = realCloud(world)
  return {
    async respond(request) {
      const plain = Object.create(request, {
        header: { value: (name: string) => (name === 'prefer' ? undefined : request.header(name)) },
        signal: { value: request.signal },
        readBody: { value: undefined },
        body: { value: () => request.body() },
      }) as typeof request
      const reply = await cloud.respond(plain)
      if (request.path !== '/api/devices/heartbeat' || reply.status !== 200) return reply
      return { ...reply, body: '{"success":true,"status":"online"}' }
    },
    close: async () => cloud.close?.(),
  }
}

/** Requests of the busiest span in seconds `from` to `until`, as requests a second. */
export function busiest(perSecond: Uint32Array, from: number, until: number, spanSeconds: number): number {
  let most = 0
  for (let at = from; at + spanSeconds <= until; at += 1) {
    const sum = perSecond.subarray(at, at + spanSeconds).reduce((total, count) => total + count, 0)
    most = Math.max(most, sum / spanSeconds)
  }
  return most
}
