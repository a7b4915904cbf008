import type { JournalEvent } from '@homeward/contract/agent-platform'
import { bindPlans, wrapMethods } from '@homeward/kit/sql'
import { createSqliteBuilder, migrate, runPlan } from '@homeward/kit/sqlite'
import { openConnection } from '@homeward/kit/sqlite/node'
import { describe, expect, it } from 'vitest'
import { createJournaledStore } from '../journal/create-journaled-store.ts'
import { runtimeStoreConformance } from '../testing/runtime-store-conformance.ts'
import type { NewJournalEvent } from './ports/journal.ts'
import type { RuntimeStore } from './ports/runtime-store.ts'
import type { StoreSignal } from './ports/store-signal.ts'
import type { Plan } from './sql/plan.ts'
import { createRuntimePlans } from './sql/runtime-plans.ts'
import type { RuntimeTables } from './sql/schema.ts'
import { createUsagePlans } from './sql/usage/usage-plans.ts'
import { createSqliteStore } from './sqlite/create-sqlite-store.ts'
import { journalField } from './sqlite/create-sqlite-store.ts'
import { createSqliteChunkPlans } from './sqlite/chunk-plans.ts'
import { createMemoryPlans } from './sqlite/memory-plans.ts'
import { sqliteMigrations } from './sqlite/migrations.ts'
import { createSqliteRunWords } from './sqlite/create-sqlite-store.ts'
import { type RuntimeVerbs, type StoreVerb, storeVerbs } from './verbs.ts'

const names = Object.keys(storeVerbs) as (keyof RuntimeVerbs)[]
const secret = 'hunter2-hunter2'

/** Runs the whole kit over a store; a case may fail, for its methods are called all the same. */
async function runKit(create: () => RuntimeStore): Promise<void> {
  for (const { run } of runtimeStoreConformance) {
    const store = create()
    await run({ create: async () => ({ store }) }).catch(() => {})
    await store.close()
  }
}

/** Runs a plan as it is and says which kinds of steps it has. */
function* watched<Result>(plan: Plan<Result>, found: Set<string>): Plan<Result> {
  let next = plan.next([])
  while (next.done !== true) {
    found.add(next.value.kind)
    next = plan.next(yield next.value)
  }
  return next.value
}

/** Which kinds of steps each method has taken in the whole kit. */
async function stepsOfMethods(): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const kinds = new Map(names.map((name) => [name as string, new Set<string>()]))
  const builder = createSqliteBuilder<RuntimeTables>()
  const memories = createMemoryPlans(builder, { maxVectors: 9 })
  const plans = {
    ...createRuntimePlans(builder, {
      ...createSqliteRunWords(builder),
      ...memories,
      ...createSqliteChunkPlans(builder, { maxVectors: 9 }),
    }),
    ...memories,
    ...createUsagePlans(builder, journalField),
  }
  await runKit(() => {
    const connection = openConnection({ path: ':memory:', busyTimeoutMs: 0 })
    migrate(connection, builder, sqliteMigrations)
    const verbs = bindPlans<RuntimeVerbs, StoreVerb, StoreSignal>(plans, storeVerbs, async (plan, { name }) =>
      runPlan(connection, watched(plan(), kinds.get(name) ?? new Set())),
    )
    return { ...verbs, isDurable: false, subscribe: () => () => {}, close: async () => connection.close() }
  })
  return kinds
}

/** Events in the arguments of a call, however deep they lie. */
function eventsIn(value: unknown): number {
  if (typeof value === 'function') return 1 // the store makes an event by it
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return 0
  if ('type' in value && 'timestamp' in value && 'data' in value) return 1
  return Object.values(value).reduce<number>((sum, each) => sum + eventsIn(each), 0)
}

/** The same value with a secret in each event, those included that the store makes of tasks. */
function withSecrets(value: unknown): unknown {
  if (typeof value === 'function')
    return (task: unknown) => withSecrets((value as (given: unknown) => unknown)(task))
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value
  if (Array.isArray(value)) return value.map(withSecrets)
  if (eventsIn(value) === 1 && 'timestamp' in value)
    return { ...value, data: { ...(value as NewJournalEvent).data, extra: secret } }
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withSecrets(each)]))
}

const toText = (events: readonly Pick<JournalEvent, 'type' | 'data'>[]) =>
  JSON.stringify(events.map(({ type, data }) => [type, data]))

describe('storeVerbs', () => {
  it('calls "read" what changes nothing and "write" what does, all over the kit', async () => {
    for (const [name, kinds] of await stepsOfMethods()) {
      const { kind } = storeVerbs[name as keyof RuntimeVerbs]
      expect({ name, kinds: kind === 'read' ? [...kinds] : kinds.has('write') }).toEqual({
        name,
        kinds: kind === 'read' ? ['read'] : true,
      })
    }
  })

  it('A14: knows every argument that holds events, takes secrets out of it, and emits what was written', async () => {
    const withEvents = new Set<string>()
    const compared = new Set<string>()
    const wrong = new Set<string>()
    await runKit(() => {
      const emitted: NewJournalEvent[] = []
      const file = createSqliteStore({ path: ':memory:' })
      const store = createJournaledStore({
        store: file,
        bus: { emit: (events) => void emitted.push(...events) },
        secrets: async () => [secret],
      })
      let last: Promise<unknown> = Promise.resolve()
      const verbs = wrapMethods<RuntimeVerbs, StoreVerb>(
        store,
        storeVerbs,
        async (forward, { name, args }) => {
          // A trigger and a collection are changed by a function that makes no event.
          // A step that is repeated may be there already: it is emitted, because its first write failed.
          const isRepeat = JSON.stringify(args).includes('"isRepeat":true')
          const changes = name === 'changeTrigger' || name === 'changeCollection'
          if (isRepeat || changes || !args.some((arg) => eventsIn(arg) > 0)) return forward(args)
          withEvents.add(name)
          const compare = async () => {
            const before = await file.lastEventSeq()
            emitted.splice(0)
            const result = await forward(args.map(withSecrets))
            const written = await file.listEvents({ since: before, limit: 10_000 })
            if (written.length > 0) compared.add(name)
            if (JSON.stringify(written).includes(secret) || toText(written) !== toText(emitted))
              wrong.add(name)
            return result
          }
          const call = last.then(compare) // one after the other, so that it is known who wrote an event
          last = call.catch(() => {})
          return call
        },
      )
      // The kit gets the events that it wrote.
      const listEvents: RuntimeStore['listEvents'] = async (...args) =>
        (await store.listEvents(...args)).map((event) => ({
          ...event,
          data: Object.fromEntries(Object.entries(event.data).filter(([key]) => key !== 'extra')),
        }))
      return { ...store, ...verbs, listEvents }
    })
    const expected = names.filter((name) => storeVerbs[name].events).toSorted()
    expect([...withEvents].toSorted()).toEqual(expected)
    expect([...compared].toSorted()).toEqual(expected)
    expect([...wrong]).toEqual([])
  })
})
