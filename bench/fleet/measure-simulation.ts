import type { FleetFault } from '@homeward/device-sdk/simulate'
import { fromSource, startChild } from '../child.ts'
import type { Measurement } from '../measurement.ts'
import type { SimulationProcessCalls } from './simulation-process.ts'

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
/** Room for what lives as long as a held poll: else most of it is moved twice by the garbage collection. */
const roomy = ['--min-semi-space-size=1024', '--max-semi-space-size=1024']
const maxSeconds = 60

/** How long a day of a fleet takes to simulate: one on which nothing happens, and a bad one. */
export async function measureSimulation(devices: number): Promise<readonly Measurement[]> {
  return [
    withTarget(await measureDay('a day without faults', devices, [], [])),
    await measureDay('a day with faults', devices, badDay, []),
    await measureDay('a day with faults, large young generation', devices, badDay, roomy),
  ]
}

const withTarget = (day: Measurement): Measurement => ({
  ...day,
  target: { atMost: maxSeconds },
  passed: day.value <= maxSeconds,
})

async function measureDay(
  name: string,
  devices: number,
  faults: readonly FleetFault[],
  nodeFlags: readonly string[],
): Promise<Measurement> {
  const module = new URL('simulation-process.ts', import.meta.url)
  await using child = startChild<SimulationProcessCalls>(module, [], [...fromSource, ...nodeFlags])
  const { seconds, cpuSeconds, ...counts } = await child.call.simulateDay(devices, faults)
  return {
    name: `${name}, ${devices.toLocaleString('en')} devices simulated`,
    value: Math.round(seconds * 10) / 10,
    unit: 's',
    details: {
      ...counts,
      cpuSeconds: Math.round(cpuSeconds),
      cpuMicrosEach: Math.round((cpuSeconds * 1e6) / counts.requests),
    },
  }
}
