import { createCloud, createLocalSessions } from '@homeward/cloud-core'
import { createMemoryBlobs } from '@homeward/cloud-core/blobs/memory'
import { createMemoryStore } from '@homeward/cloud-core/memory'
import { simulateFleet, type FleetFault } from '@homeward/device-sdk/simulate'
import type { Measurement } from '../measurement.ts'

const minute = 60
const hour = 3600

/** Everything that the herd property speaks of, in one day. */
const badDay: readonly FleetFault[] = [
  { kind: 'outage', atSeconds: 2 * hour, forSeconds: 10 },
  { kind: 'outage', atSeconds: 4 * hour, forSeconds: 2 * minute },
  { kind: 'unauthorized', atSeconds: 6 * hour, forSeconds: minute },
  { kind: 'outage', atSeconds: 8 * hour, forSeconds: 28 * minute },
  { kind: 'reboot', atSeconds: 11 * hour },
  { kind: 'outage', atSeconds: 14 * hour, forSeconds: 6 * hour },
]

/** How long a day of a fleet takes to simulate: one on which nothing happens, and a bad one. */
export async function measureSimulation(devices: number): Promise<readonly Measurement[]> {
  return [await measureDay('a quiet day', devices, []), await measureDay('a bad day', devices, badDay)]
}

async function measureDay(
  name: string,
  devices: number,
  faults: readonly FleetFault[],
): Promise<Measurement> {
  const startedAt = performance.now()
  const before = process.cpuUsage()
  const report = await simulateFleet({
    devices,
    hours: 24,
    faults,
    settings: { spreadFirstBeat: true },
    cloud: (world) =>
      createCloud({
        ...world,
        store: createMemoryStore(),
        blobs: createMemoryBlobs(),
        sessions: createLocalSessions(),
      }),
  })
  const seconds = (performance.now() - startedAt) / 1000
  const { user, system } = process.cpuUsage(before)
  const { total, steadyPerSecond, busiestPerSecond } = report.requests
  return {
    name: `${name} of ${devices.toLocaleString('en')} devices, simulated`,
    value: Math.round(seconds * 10) / 10,
    unit: 's',
    target: { atMost: 60 },
    passed: seconds <= 60,
    details: {
      requests: total,
      livedSeconds: report.livedSeconds,
      cpuSeconds: Math.round((user + system) / 1e6),
      cpuMicrosEach: Math.round((user + system) / total),
      steadyPerSecond: Math.round(steadyPerSecond),
      busiestPerSecond,
    },
  }
}
