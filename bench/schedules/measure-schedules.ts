import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fromSource, startChild } from '../child.ts'
import type { Measurement } from '../measurement.ts'
import { installPeers } from '../peers/install-peers.ts'
import { schedulerNames, type SchedulerName } from './schedule-contender.ts'
import type { SchedulesCalls } from './schedules-process.ts'

const own: SchedulerName = 'agent-runtime'
const maxHeapMegabytes = 40
const maxLatenessMs = 300
const flags = [...fromSource, '--expose-gc']
const module = new URL('schedules-process.ts', import.meta.url)

/** Size of a measurement. */
interface SchedulesLoad {
  readonly schedules: number
  readonly idleSeconds: number
}

/** What many schedules take while they wait, and how late they are when all of them are due in the same second. */
export async function measureSchedules(load: SchedulesLoad): Promise<readonly Measurement[]> {
  await installPeers()
  const home = await mkdtemp(join(tmpdir(), 'homeward-bench-'))
  try {
    const measurements: Measurement[] = []
    for (const name of schedulerNames) {
      const { startMs, found } = await measureHolding(name, home, load)
      measurements.push(...found, await measureLateness(name, home, load.schedules, startMs))
    }
    return measurements
  } finally {
    await rm(home, { recursive: true, force: true })
  }
}

async function start(name: SchedulerName, home: string) {
  return startChild<SchedulesCalls>(module, [name, await mkdtemp(join(home, 'scheduler-'))], flags)
}

async function measureHolding(
  name: SchedulerName,
  home: string,
  { schedules, idleSeconds }: SchedulesLoad,
): Promise<{ readonly startMs: number; readonly found: readonly Measurement[] }> {
  await using child = await start(name, home)
  const { heapMegabytes, rssMegabytes, startMs } = await child.call.hold(schedules)
  const idleMs = await child.call.idle(idleSeconds)
  const title = `${schedules.toLocaleString('en')} schedules`
  const found: Measurement[] = [
    {
      name: `${title}, ${name}`,
      value: round1(heapMegabytes),
      unit: 'MB of heap',
      ...(name === own && {
        target: { atMost: maxHeapMegabytes },
        passed: heapMegabytes <= maxHeapMegabytes,
      }),
      details: { rssMegabytes, startMs },
    },
    { name: `${title}, idle, ${name}`, value: round1(idleMs), unit: 'ms of CPU per second' },
  ]
  return { startMs, found }
}

async function measureLateness(
  name: SchedulerName,
  home: string,
  schedules: number,
  startMs: number,
): Promise<Measurement> {
  await using child = await start(name, home)
  // All of them have to be there by then.
  const at = Math.ceil((Date.now() + 2 * startMs) / 1000 + 5) * 1000
  await child.call.await(schedules, at)
  await sleepUntil(at + 8000)
  const latenesses = await child.call.lateness()
  if (name.startsWith(own) && latenesses.length !== schedules) {
    throw new Error(`${name} carried out ${latenesses.length} of ${schedules} schedules`)
  }
  const latenessAt = (share: number) => latenesses[Math.ceil(latenesses.length * share) - 1] ?? Infinity
  const p99 = latenessAt(0.99)
  return {
    name: `${schedules.toLocaleString('en')} schedules due at once, ${name}`,
    value: p99,
    unit: 'ms late, p99',
    ...(name === own && { target: { atMost: maxLatenessMs }, passed: p99 <= maxLatenessMs }),
    // Some leave out what they are late for.
    details: { p50: latenessAt(0.5), longest: latenessAt(1), skippedRanges: schedules - latenesses.length },
  }
}

async function sleepUntil(time: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, time - Date.now()))
}

const round1 = (value: number) => Math.round(value * 10) / 10
