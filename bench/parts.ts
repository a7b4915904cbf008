import { measureColdImport } from './cold-import/measure-cold-import.ts'
import { measureDeviceFilters } from './device-filters/measure-device-filters.ts'
import { measureDurableQueue } from './durable-queue/measure-durable-queue.ts'
import { measurePostgresQueue } from './durable-queue/measure-postgres-queue.ts'
import { measureTurns } from './durable-queue/measure-turns.ts'
import { measureFleet } from './fleet/measure-fleet.ts'
import { measureIdleDevices, measureLiveFleet } from './fleet/measure-live.ts'
import { measureLongPolls } from './fleet/measure-long-polls.ts'
import { measureSimulation } from './fleet/measure-simulation.ts'
import { measureFileIndex, measureFileSearch } from './file-search/measure-file-search.ts'
import { measureHttp, type HttpLoad } from './http/measure-http.ts'
import { operationNames } from './http/requests.ts'
import { measureJournal } from './journal/measure-journal.ts'
import { measureInjections } from './injections/measure-injections.ts'
import type { Measurement } from './measurement.ts'
import { measureMemorySearch } from './memory-search/measure-memory-search.ts'
import { measureMemory } from './memory/measure-memory.ts'
import { measureMetrics } from './metrics/measure-metrics.ts'
import { measurePictures } from './pictures/measure-pictures.ts'
import { measureDeferredTools } from './prompts/measure-deferred-tools.ts'
import { measurePrograms } from './programs/measure-programs.ts'
import { measurePromptCache } from './prompts/measure-prompt-cache.ts'
import { measurePrompts } from './prompts/measure-prompts.ts'
import { measureResume } from './resume/measure-resume.ts'
import { measureRunLoop } from './run-loop/measure-run-loop.ts'
import { measureSchedules } from './schedules/measure-schedules.ts'
import { measureSkills } from './skills/measure-skills.ts'
import { measureWebhooks } from './webhooks/measure-webhooks.ts'

/** One part of the measurements, whole or in a smaller size. */
type Part = (isQuick: boolean) => Promise<readonly Measurement[]>

const rounds = (isQuick: boolean) => (isQuick ? 3 : 5)

const storeKinds = ['memory', 'sqlite'] as const

async function measureRequests(load: HttpLoad): Promise<readonly Measurement[]> {
  const measurements: Measurement[] = []
  for (const storeKind of storeKinds)
    measurements.push(...(await measureHttp(storeKind, operationNames, load)))
  return measurements
}

async function measureDevices(count: number): Promise<readonly Measurement[]> {
  const measurements: Measurement[] = []
  for (const storeKind of storeKinds) measurements.push(await measureMemory(storeKind, count))
  return measurements
}

async function measureFleets(isQuick: boolean): Promise<readonly Measurement[]> {
  return [
    ...(await measureFleet({ devices: 100_000, active: isQuick ? 4000 : 10_000, rounds: 2 })),
    ...(await measureLiveFleet({
      registered: 100_000,
      live: isQuick ? 1000 : 8000,
      idleSeconds: isQuick ? 10 : 60,
    })),
  ]
}

/** What can be measured, in the order in which it is. */
export const parts = {
  requests: (isQuick) =>
    measureRequests(isQuick ? { devices: 5000, rounds: 3 } : { devices: 10_000, rounds: 5 }),
  memory: (isQuick) => measureDevices(isQuick ? 10_000 : 100_000),
  files: async (isQuick) => [
    ...(await measureFileSearch(isQuick ? 20_000 : 200_000, rounds(isQuick))),
    ...(await measureFileIndex(isQuick ? 20_000 : 1_000_000, rounds(isQuick))),
  ],
  'run-loop': (isQuick) =>
    measureRunLoop(isQuick ? { runs: 25, rounds: 5, warmUp: 100 } : { runs: 300, rounds: 9, warmUp: 600 }),
  prompts: async (isQuick) => [
    ...measurePrompts(1000, 10 * rounds(isQuick)),
    ...(await measurePromptCache(20)),
    ...(await measureDeferredTools(200)),
  ],
  programs: () => measurePrograms(200),
  pictures: (isQuick) => measurePictures(10, rounds(isQuick)),
  injections: () => measureInjections(),
  import: (isQuick) => measureColdImport(3 * rounds(isQuick)),
  skills: (isQuick) => measureSkills(1000, rounds(isQuick)),
  'memory-search': (isQuick) =>
    measureMemorySearch(isQuick ? { texts: 20_000, questions: 100 } : { texts: 100_000, questions: 500 }),
  journal: (isQuick) => measureJournal({ events: 100_000, rounds: rounds(isQuick) }),
  metrics: (isQuick) => measureMetrics({ heartbeats: 3000, runs: 150, rounds: isQuick ? 8 : 40 }),
  schedules: (isQuick) => measureSchedules({ schedules: 10_000, idleSeconds: isQuick ? 10 : 70 }),
  resume: (isQuick) => measureResume(1000, rounds(isQuick)),
  turns: (isQuick) => measureTurns({ tasks: isQuick ? 500 : 2000, rounds: rounds(isQuick) }),
  'durable-queue': (isQuick) =>
    measureDurableQueue(
      isQuick ? { tasks: 2000, rounds: 3, starts: 100 } : { tasks: 5000, rounds: 5, starts: 200 },
    ),
  'postgres-queue': (isQuick) =>
    measurePostgresQueue(
      isQuick ? { tasks: 500, rounds: 3, starts: 45 } : { tasks: 5000, rounds: 3, starts: 150 },
    ),
  fleet: (isQuick) => measureFleets(isQuick),
  'idle-devices': (isQuick) => measureIdleDevices(isQuick ? 1000 : 4000, isQuick ? 20 : 60),
  'device-filters': (isQuick) =>
    measureDeviceFilters(isQuick ? { devices: 10_000, times: 30 } : { devices: 100_000, times: 200 }),
  webhooks: (isQuick) =>
    measureWebhooks(isQuick ? { searches: 1000, rounds: 5 } : { searches: 5000, rounds: 9 }),
  'held-polls': (isQuick) => measureLongPolls(isQuick ? 10_000 : 100_000),
  simulation: (isQuick) => measureSimulation(isQuick ? 500 : 10_000),
} as const satisfies Readonly<Record<string, Part>>

export type PartName = keyof typeof parts

/** The names of all parts. */
export const partNames = Object.keys(parts) as readonly PartName[]
