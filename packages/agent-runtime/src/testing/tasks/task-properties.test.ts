import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { openPairs } from '../../store/postgres/testing/open-pairs.ts'
import type { RuntimeStore } from '../../store/ports/runtime-store.ts'
import type { TaskOutcome } from '../../store/ports/task-store.ts'
import { at, idsOf } from '../conformance-fixtures.ts'
import { outcomes, taskOf } from './task-fixtures.ts'

const nat = (max: number) => fc.nat({ max })
const insert = fc.record({
  verb: fc.constant('insert' as const),
  subject: nat(2),
  priority: nat(2),
  delay: fc.constantFrom(0, 0, 0, 7),
  scheduled: fc.constantFrom(undefined, undefined, 'skip' as const, 'queue' as const),
  maxAttempts: fc.constantFrom(1, 2),
})
const claim = fc.record({
  verb: fc.constant('claim' as const),
  limit: fc.integer({ min: 1, max: 6 }),
  perSubject: fc.integer({ min: 1, max: 4 }),
  tickets: fc.option(fc.array(nat(20), { maxLength: 4 }), { nil: undefined }),
})
const settle = fc.record({
  verb: fc.constant('settle' as const),
  task: nat(20),
  kind: fc.constantFrom('completed', 'failed', 'retry', 'parked', 'released'),
  isParked: fc.boolean(),
})
const other = fc.record({
  verb: fc.constantFrom('cancel' as const, 'retry' as const, 'reclaim' as const),
  task: nat(20),
})
const command = fc.oneof(
  { weight: 4, arbitrary: insert },
  { weight: 4, arbitrary: claim },
  { weight: 3, arbitrary: settle },
  { weight: 2, arbitrary: other },
)
type Command = typeof command extends fc.Arbitrary<infer Each> ? Each : never

/** Does it at a second, and gives what a caller sees of it. */
async function play(store: RuntimeStore, step: Command, second: number): Promise<unknown> {
  const now = at(second)
  switch (step.verb) {
    case 'insert': {
      const { scheduled: overlap, subject, priority, maxAttempts } = step
      return store.insertTask(
        taskOf(`t${second}`, {
          subject: { kind: 'agent', id: `a${subject}` },
          priority,
          maxAttempts,
          createdAt: now,
          runAt: at(second + step.delay),
          ...(overlap && { scheduled: { schedule: '* * * * *', for: now, overlap } }),
        }),
        [],
      )
    }
    case 'claim': {
      const { limit, perSubject, tickets } = step
      const ticketsFor = tickets && [...new Set(tickets)].map((task) => `t${task}`)
      const lease = { owner: 'o1', until: at(second + 9) }
      return idsOf(
        await store.claimTasks({ lease, now, limit, perSubject, ...(ticketsFor && { ticketsFor }) }),
      ).toSorted()
    }
    case 'settle': {
      const outcome: TaskOutcome =
        step.kind === 'retry' ? { kind: 'retry', runAt: at(second + 3) } : outcomes[step.kind]
      return store.settleTask({ id: `t${step.task}`, owner: step.isParked ? undefined : 'o1', outcome, now })
    }
    case 'cancel':
      return store.cancelTask(`t${step.task}`, now)
    case 'retry':
      return (await store.retryTask(`t${step.task}`, now)) ?? 'none'
    case 'reclaim':
    default:
      return (await store.reclaimTasks({ now, limit: 99 })).toSorted((a, b) => (a.id < b.id ? -1 : 1))
  }
}

it('A7: SQLite and Postgres do the same, whatever is done, and lose no task', async () => {
  const pairs = await openPairs()
  await fc.assert(
    fc.asyncProperty(fc.array(command, { maxLength: 40 }), async (steps) => {
      await using pair = await pairs.open()
      const stores = [pair.sqlite, pair.postgres] as const
      let second = 0
      for (const step of steps) {
        const [onSqlite, onPostgres] = await Promise.all(stores.map((store) => play(store, step, second)))
        expect(onPostgres).toEqual(onSqlite)
        second += 1
      }
      const [rows, others] = await Promise.all(
        stores.map(async (store) => (await store.listTasks({}, { limit: 99 })).rows),
      )
      expect(others).toEqual(rows)
      // Everything that waits can still be taken, once nothing is in its way.
      for (const store of stores) {
        const end = at(second + 100)
        await store.reclaimTasks({ now: end, limit: 99 })
        for (const { id, parked } of (await store.listTasks({ status: 'running' }, { limit: 99 })).rows)
          if (parked) await store.cancelTask(id, end)
        for (;;) {
          const lease = { owner: 'o2', until: at(second + 200) }
          const taken = await store.claimTasks({ lease, now: end, limit: 9, perSubject: 99 })
          if (taken.length === 0) break
          for (const { id } of taken)
            await store.settleTask({ id, owner: 'o2', outcome: outcomes.completed, now: end })
        }
        expect((await store.listTasks({ status: 'queued' }, { limit: 99 })).rows).toEqual([])
      }
    }),
    { numRuns: 60 },
  )
  await pairs.close()
}, 120_000)
