import * as fc from 'fast-check'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createTestStore } from '../testing/create-test-store.ts'
import type { RuntimeStore } from '../store/ports/runtime-store.ts'
import type { ScheduleRunner } from './create-schedules.ts'
import { firesByHand } from '../../../kit/src/cron/testing/fires-by-hand.ts'
import { createScheduleKit } from './testing/schedule-kit.ts'

const secondMs = 1000
const dayMs = 86_400_000
const begin = Date.UTC(2026, 0, 1)
const end = begin + 3652 * dayMs

const plans = [
  { id: 'night', schedule: '30 2 * * *', timezone: 'America/New_York' },
  { id: 'monthly', schedule: '0 0 1,L * *', timezone: 'Australia/Lord_Howe' },
  { id: 'weekly', schedule: '15 1-3/2 * * 0', timezone: 'Africa/Casablanca' },
  { id: 'hourly', schedule: '45 * 29-31 3,10 *', timezone: 'Europe/Berlin' },
] as const

interface Switch {
  readonly kind: 'start' | 'stop'
  readonly which: number
}

/** What happens to the machine: processes start and end, its clock is wrong, it sleeps, time passes. */
type Incident = Switch | { readonly kind: 'jump' | 'pass'; readonly ms: number }

const jump = (min: number, max: number) =>
  fc.integer({ min, max }).map((ms): Incident => ({ kind: 'jump', ms: ms * secondMs }))
const process = fc.record<Switch>({ kind: fc.constantFrom('start', 'stop'), which: fc.constantFrom(0, 1) })
const incident: fc.Arbitrary<Incident> = fc.oneof(
  process,
  process,
  fc.integer({ min: 1, max: 150 }).map((seconds): Incident => ({ kind: 'pass', ms: seconds * secondMs })),
  jump(0, 7200),
  jump(-7200, 0),
  jump(-40 * 86_400, 0),
  jump(0, 300 * 86_400),
)

const realImmediate = setImmediate
async function settle(): Promise<void> {
  for (let turn = 0; turn < 8; turn += 1) await new Promise<void>((resolve) => realImmediate(resolve))
}

async function pass(ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 20 * secondMs) {
    await settle()
    await vi.advanceTimersByTimeAsync(Math.min(left, 20 * secondMs))
  }
  await settle()
}

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] }))
afterEach(() => void vi.useRealTimers())

const byHand = new Map(
  plans.map(({ id, schedule, timezone }) => [id, firesByHand(schedule, timezone, begin, end + 400 * dayMs)]),
)

async function toggle(
  running: (ScheduleRunner | undefined)[],
  { kind, which }: Switch,
  create: () => ScheduleRunner,
): Promise<void> {
  if (kind === 'stop') {
    await running[which]?.close()
    running[which] = undefined
  } else if (running[which] === undefined) {
    running[which] = create()
    await running[which]?.start()
  }
}

/** Two processes over one store, whose machine goes through everything that is given, and is well afterwards. */
async function live(store: RuntimeStore, incidents: readonly Incident[]): Promise<void> {
  vi.setSystemTime(begin)
  const { scheduler, save, tasks } = createScheduleKit(store)
  for (const { id, ...plan } of plans) {
    await save(id, plan.schedule, { timezone: plan.timezone, catch_up: 'all' })
  }
  const running: (ScheduleRunner | undefined)[] = [scheduler(), undefined]
  await running[0]?.start()
  let latest = begin
  const since = (time: number) => Math.max(begin, time)
  for (const next of incidents) {
    if ('which' in next) await toggle(running, next, scheduler)
    else if (next.kind === 'pass') await pass(next.ms)
    else vi.setSystemTime(Math.min(since(Date.now() + next.ms), end))
    latest = Math.max(latest, Date.now())
  }
  for (const schedules of running) await schedules?.close()
  vi.setSystemTime(latest + dayMs)
  const last = scheduler()
  await last.start()
  await last.close()
  const made = await tasks()
  for (const { id } of plans) {
    const fired = made.filter(({ subject }) => subject.id === id).map(({ scheduled }) => scheduled?.for ?? '')
    const expected = (byHand.get(id) ?? []).filter((time) => time <= Date.now())
    expect(new Set(fired).size, id).toBe(fired.length)
    expect(
      fired.toSorted((a, b) => (a < b ? -1 : 1)),
      id,
    ).toEqual(expected.map((time) => new Date(time).toISOString()))
  }
}

const stores: Record<string, { readonly create: () => RuntimeStore; readonly numRuns: number }> = {
  SQLite: { create: createTestStore, numRuns: 30 },
}

it.each(Object.keys(stores))(
  'A9: over ten years no time is lost and none doubled, whatever two schedulers and their clock do (%s)',
  { timeout: 120_000 },
  async (kind) => {
    const { create, numRuns } = stores[kind] ?? { create: createTestStore, numRuns: 1 }
    await fc.assert(
      fc.asyncProperty(fc.array(incident, { minLength: 10, maxLength: 60 }), async (incidents) => {
        const store = create()
        await live(store, incidents)
        await store.close()
      }),
      { numRuns },
    )
  },
)
