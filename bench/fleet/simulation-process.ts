import { createDeviceCloud, createSingleUserSessions } from '@homeward/cloud-core'
import { createMemoryBlobs } from '@homeward/cloud-core/blobs/memory'
import { createMemoryStore } from '@homeward/cloud-core/memory'
import { simulateFleet, type FleetFault } from '@homeward/device-sdk/simulate'
import { answerParent } from '../child.ts'

/** What a simulated day took. */
interface SimulatedDay {
  readonly seconds: number
  readonly cpuSeconds: number
  readonly simulatedSeconds: number
  readonly requests: number
  readonly steadyPerSecond: number
  readonly busiestPerSecond: number
}

async function simulateDay(devices: number, faults: readonly FleetFault[]): Promise<SimulatedDay> {
  const startedAt = performance.now()
  const before = process.cpuUsage()
  const { simulatedSeconds, requests } = await simulateFleet({
    devices,
    hours: 24,
    faults,
    settings: { spreadFirstHeartbeat: true },
    cloud: (world) =>
      createDeviceCloud({
        ...world,
        store: createMemoryStore(),
        blobs: createMemoryBlobs(),
        sessions: createSingleUserSessions(),
      }),
  })
  const { user, system } = process.cpuUsage(before)
  const { total, steadyPerSecond, busiestPerSecond } = requests
  return {
    seconds: (performance.now() - startedAt) / 1000,
    cpuSeconds: (user + system) / 1e6,
    simulatedSeconds,
    requests: total,
    steadyPerSecond,
    busiestPerSecond,
  }
}

const calls = { simulateDay }

export type SimulationProcessCalls = typeof calls

answerParent(calls)
