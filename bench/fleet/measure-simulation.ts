import { createCloud, createLocalSessions } from '@homeward/cloud-core'
import { createMemoryBlobs } from '@homeward/cloud-core/blobs/memory'
import { createMemoryStore } from '@homeward/cloud-core/memory'
import { simulateFleet } from '@homeward/device-sdk/simulate'
import type { Measurement } from '../measurement.ts'

const day = { devices: 10_000, hours: 24 }

/** What a request of a simulated fleet costs, and what a day of a large one would take on one core. */
export async function measureSimulation(devices: number, hours: number): Promise<readonly Measurement[]> {
  const startedAt = performance.now()
  const before = process.cpuUsage()
  const { requests } = await simulateFleet({
    devices,
    hours,
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
  const cpuMicrosEach = (user + system) / requests.total
  const perDeviceHour = requests.total / devices / hours
  const dayRequests = perDeviceHour * day.devices * day.hours
  return [
    {
      name: `a fleet of ${devices.toLocaleString('en')} simulated for ${hours} h`,
      value: Math.round(1e6 / cpuMicrosEach),
      unit: 'requests/s a core',
      details: {
        requests: requests.total,
        seconds: Math.round(seconds),
        cpuMicrosEach: Math.round(cpuMicrosEach),
        requestsADeviceAnHour: Math.round(perDeviceHour),
        minutesForADayOf10000: Math.round((dayRequests * cpuMicrosEach) / 60e6),
      },
    },
  ]
}
