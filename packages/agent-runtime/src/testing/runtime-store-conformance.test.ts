import { beforeAll, describe, expect, it } from 'vitest'
import { createTestStore } from './create-test-store.ts'
import type { MemoryQuery } from '../store/ports/memory-store.ts'
import type { RuntimeStore } from '../store/ports/runtime-store.ts'
import { storeVerbs } from '../store/verbs.ts'
import { firstFailureOf, pause } from './first-failure-of.ts'
import { runtimeStoreConformance } from './runtime-store-conformance.ts'

type Break = (store: RuntimeStore) => RuntimeStore

/** The first case that a store does not pass. */
const firstFailure = (breakStore: Break, cases = runtimeStoreConformance) =>
  firstFailureOf(cases, () => breakStore(createTestStore()))

/** The cases that call a method: no other one can fail for it. */
const casesOf = new Map<string, (typeof runtimeStoreConformance)[number][]>()
beforeAll(async () => {
  for (const each of runtimeStoreConformance) {
    const called = new Set<string>()
    const spied = new Proxy(createTestStore(), {
      get(store, name: keyof RuntimeStore) {
        called.add(name)
        return store[name]
      },
    })
    await each.run({ create: async () => ({ store: spied, dispose: () => spied.close() }) })
    for (const name of called) casesOf.set(name, [...(casesOf.get(name) ?? []), each])
  }
}, 120_000)

it('a store that is whole passes the kit', async () => {
  expect(await firstFailure((store) => store)).toBeUndefined()
})

it('every case has a name of its own', () => {
  const names = runtimeStoreConformance.map(({ name }) => name)
  expect(new Set(names).size).toBe(names.length)
})

const answers: Record<string, unknown> = {
  undefined,
  true: true,
  false: false,
  zero: 0,
  'an empty list': [],
  'an empty page': { rows: [] },
  unknown: { outcome: 'unknown' },
}
const methods = (Object.keys(createTestStore()) as (keyof RuntimeStore)[]).filter(
  (method) => method !== 'isDurable',
)

describe.each(methods)('a store whose %s is emptied out', (method) => {
  // the result of `close` is not used
  it.each(method === 'close' ? ['undefined'] : Object.keys(answers))(
    'fails the kit when it answers %s',
    async (answer) => {
      const empty: Break = (store) => ({ ...store, [method]: async () => answers[answer] })
      expect(await firstFailure(empty, casesOf.get(method))).toBeDefined()
    },
  )
})

it.each(Object.entries(storeVerbs))('a store whose %s ignores signals fails the kit', async (method, row) => {
  const deaf: Break = (store) => {
    const call = store[method as keyof RuntimeStore] as (...args: unknown[]) => Promise<unknown>
    return { ...store, [method]: (...args: unknown[]) => call(...args.slice(0, row.args)) }
  }
  expect(await firstFailure(deaf, casesOf.get(method))).toBeDefined()
})

/** Searches memories for something else than it was asked for. */
function askingWith(change: Partial<MemoryQuery>): Break {
  return (store) => ({
    ...store,
    searchMemories: (query, signal) => store.searchMemories({ ...query, ...change }, signal),
  })
}

const brokenStores: Record<string, Break> = {
  'checks for an agent before it inserts it': (store) => ({
    ...store,
    insertAgent: async (agent, _audit, signal) => {
      const found = await store.findAgent(agent.id, signal)
      await pause()
      if (found !== undefined) return false
      if (!(await store.insertAgent(agent))) await store.replaceAgent(agent)
      return true
    },
  }),
  'checks for a graph before it inserts it': (store) => ({
    ...store,
    insertGraph: async (graph, _audit, signal) => {
      const found = await store.findGraph(graph.id, signal)
      await pause()
      if (found !== undefined) return false
      if (!(await store.insertGraph(graph))) await store.replaceGraph(graph)
      return true
    },
  }),
  'keeps of a graph what its replacement does not have': (store) => ({
    ...store,
    replaceGraph: async (graph, audit, signal) =>
      store.replaceGraph({ ...(await store.findGraph(graph.id, signal)), ...graph }, audit, signal),
  }),
  'checks for an idempotency key before it inserts a run': (store) => {
    const byKey = new Map<string, string>()
    return {
      ...store,
      insertRun: async (run, lease, journal, signal) => {
        const known = byKey.get(run.idempotencyKey ?? '')
        await pause()
        const { idempotencyKey: key, ...rest } = run
        const found = known === undefined ? undefined : await store.findRun(known, signal)
        if (found !== undefined) return { run: found, created: false }
        if (key !== undefined) byKey.set(key, run.id)
        const outcome = await store.insertRun(rest, lease, journal, signal)
        return { ...outcome, run: { ...outcome.run, ...(key !== undefined && { idempotencyKey: key }) } }
      },
    }
  },
  'checks an approval before it decides it': (store) => ({
    ...store,
    settleWait: async (settlement, signal) => {
      const waits = await store.listWaitsOf([settlement.runId], signal)
      const wait = waits.find(({ id }) => id === settlement.waitId)
      await pause()
      if (wait === undefined) return { outcome: 'unknown' }
      if (wait.status !== 'open') return { outcome: 'already', wait }
      const outcome = await store.settleWait(settlement)
      return outcome.outcome === 'already' ? { ...outcome, outcome: 'settled', open: 0 } : outcome
    },
  }),
  'does not count who got a signal': (store) => ({
    ...store,
    settleWait: ({ signal: given, ...settlement }, signal) =>
      store.settleWait({ ...settlement, ...(given && { signal: { ...given, id: 'other' } }) }, signal),
  }),
  'gives a signal to every later wait of a run': (store) => ({
    ...store,
    settleWait: ({ signal: given, ...settlement }, signal) =>
      store.settleWait(
        { ...settlement, ...(given && { signal: { ...given, lastWait: Number.MAX_SAFE_INTEGER } }) },
        signal,
      ),
  }),
  'lets everybody go on with a run that waited': (store) => ({
    ...store,
    resumeRun: async (id, lease, signal) => {
      const run = await store.findRun(id, signal)
      await pause()
      return (await store.resumeRun(id, lease)) || run?.status === 'waiting'
    },
  }),
  'appends the turn before it ends the run': (store) => ({
    ...store,
    finishRun: async (finish, signal) => {
      const { conversation, ...rest } = finish
      if (conversation !== undefined) await store.appendMessages(conversation, signal)
      return store.finishRun(rest, signal)
    },
  }),
  'appends messages one by one': (store) => ({
    ...store,
    appendMessages: async (append, signal) => {
      for (const message of append.messages) {
        await store.appendMessages({ ...append, messages: [message] }, signal)
        await pause()
      }
    },
  }),
  'lets everybody write a run': (store) => {
    const ownerOf = async (runId: string, owner: string) =>
      (await store.findRun(runId))?.lease?.owner ?? owner
    return {
      ...store,
      saveRunStep: async (step, signal) =>
        store.saveRunStep({ ...step, owner: await ownerOf(step.runId, step.owner) }, signal),
    }
  },
  'lets everybody end a run': (store) => ({
    ...store,
    finishRun: async (finish, signal) =>
      store.finishRun({ ...finish, owner: (await store.findRun(finish.runId))?.lease?.owner }, signal),
  }),
  'lets everybody write an outcome': (store) => ({
    ...store,
    saveEffect: async (effect, signal) => {
      const owner = (await store.findRun(effect.runId))?.lease?.owner ?? effect.owner
      return store.saveEffect({ ...effect, owner }, signal)
    },
  }),
  'takes runs over whose lease is not over': (store) => ({
    ...store,
    claimRuns: (claim, signal) => store.claimRuns({ ...claim, now: '2999' }, signal),
  }),
  'takes over one run after the other when one was asked for': (store) => ({
    ...store,
    claimRuns: ({ lease, now, limit }, signal) => store.claimRuns({ lease, now, limit }, signal),
  }),
  'gives a run to two who take it over at once': (store) => ({
    ...store,
    claimRuns: async (claim, signal) => {
      const { rows } = await store.listRuns({ status: 'running' }, { limit: 99 }, signal)
      await pause()
      const claimed = await store.claimRuns(claim)
      return claimed.length > 0 ? claimed : rows.slice(0, claim.limit)
    },
  }),
  'gives back what another owner has': (store) => ({
    ...store,
    releaseRuns: async (_, ids, signal) => {
      for (const id of ids) {
        const owner = (await store.findRun(id, signal))?.lease?.owner
        if (owner !== undefined) await store.releaseRuns(owner, [id])
      }
    },
  }),
  'forgets outcomes': (store) => ({
    ...store,
    listEffects: async (id, signal) =>
      (await store.listEffects(id, signal)).map((effect) => ({ ...effect, outcome: undefined as never })),
  }),
  'checks a budget before it draws on it': (store) => ({
    ...store,
    reserveBudget: async (reservation, signal) => {
      const [account] = reservation.accounts
      const balance = await store.readBudget(account?.key ?? '', signal)
      await pause()
      if (balance.tokens + reservation.tokens > (account?.maxTokens ?? Infinity)) {
        return { outcome: 'refused', key: account?.key ?? '', balance }
      }
      const accounts = reservation.accounts.map(({ key }) => ({ key }))
      return store.reserveBudget({ ...reservation, accounts })
    },
  }),
  'ignores limits of money': (store) => ({
    ...store,
    reserveBudget: (reservation, signal) => {
      const accounts = reservation.accounts.map(({ key, maxTokens = Infinity }) => ({ key, maxTokens }))
      return store.reserveBudget({ ...reservation, accounts }, signal)
    },
  }),
  'tells before it has written': (store) => {
    const listeners = new Set<Parameters<RuntimeStore['subscribe']>[0]>()
    return {
      ...store,
      subscribe: (listener) => {
        listeners.add(listener)
        const end = store.subscribe(listener)
        return () => {
          listeners.delete(listener)
          end()
        }
      },
      saveRunStep: async (step, signal) => {
        for (const listener of listeners) listener({ topic: 'run', runId: step.runId })
        await pause()
        return store.saveRunStep(step, signal)
      },
    }
  },
  'goes on telling those who do not listen any more': (store) => ({
    ...store,
    subscribe: (listener) => {
      store.subscribe(listener)
      return () => {}
    },
  }),
  'ignores several types': (store) => ({
    ...store,
    listEvents: (filter, signal) => store.listEvents({ ...filter, types: undefined }, signal),
  }),
  'keeps steps of runs that have ended': (store) => ({
    ...store,
    saveRunStep: async (step, signal) => {
      await store.appendEvents(step.journal, signal)
      return store.saveRunStep({ ...step, journal: [] }, signal)
    },
  }),
  'takes every idempotency key for a new one': (store) => ({
    ...store,
    insertRun: (run, lease, journal, signal) =>
      store.insertRun(
        run.idempotencyKey === undefined ? run : { ...run, idempotencyKey: `${run.idempotencyKey}${run.id}` },
        lease,
        journal,
        signal,
      ),
  }),
  'drops the question of a new run': (store) => ({
    ...store,
    insertRun: ({ question: _question, ...run }, ...others) => store.insertRun(run, ...others),
  }),
  'keeps the question of a run that is there': (store) => ({
    ...store,
    async insertRun({ question, ...run }, ...others) {
      if (question) await store.appendMessages(question)
      return store.insertRun(run, ...others)
    },
  }),
  'forgets which run works in a conversation': (store) => ({
    ...store,
    async findConversation(...given) {
      const { activeRunId: _, ...found } = (await store.findConversation(...given)) ?? {}
      return 'id' in found ? found : undefined
    },
  }),
  'keeps the last summary, however old': (store) => ({
    ...store,
    saveSummary: async (conversation, summary, throughSeq, signal) => {
      const found = await store.findConversation(conversation.id, signal)
      return store.saveSummary(conversation, summary, Math.max(throughSeq, found?.summarizedSeq ?? 0), signal)
    },
  }),
  'keeps a summary under an id, whichever conversation it is of': (store) => ({
    ...store,
    saveSummary: async ({ id }, ...rest) => {
      const found = await store.findConversation(id)
      return found === undefined ? false : store.saveSummary(found, ...rest)
    },
  }),
  "finds everybody's memories for nobody": (store) => ({
    ...store,
    searchMemories: (query, signal) =>
      store.searchMemories({ ...query, userId: query.userId ?? undefined }, signal),
  }),
  'starts every page at the beginning': (store) => ({
    ...store,
    listRuns: (filter, { limit }, signal) => store.listRuns(filter, { limit }, signal),
  }),
  'ignores the limit of a search': askingWith({ limit: 50 }),
  'finds memories that expired': askingWith({ now: '1970' }),
  'filters after it has cut off the list': (store) => ({
    ...store,
    searchMemories: async (query, signal) => {
      const { agentId, ...all } = query
      const found = await store.searchMemories(all, signal)
      return found.filter(({ memory }) => agentId === undefined || memory.agentId === agentId)
    },
  }),
  'lists conversations of all sources': (store) => ({
    ...store,
    listConversations: (filter, ...rest) =>
      store.listConversations({ ...filter, sources: undefined }, ...rest),
  }),
  'lists the oldest memories first': (store) => ({
    ...store,
    listMemories: async (filter, page, signal) => {
      const found = await store.listMemories(filter, page, signal)
      return { ...found, rows: found.rows.toReversed() }
    },
  }),
  'ignores vectors': askingWith({ embedding: undefined }),
  'compares vectors of different models': askingWith({ embeddingModel: undefined }),
  'ignores the number that a stream goes on from': (store) => ({
    ...store,
    listRunEvents: (id, _since, signal) => store.listRunEvents(id, 0, signal),
  }),
  'gives the newest events with `since` too': (store) => ({
    ...store,
    listEvents: async (filter, signal) => {
      const found = await store.listEvents({ ...filter, limit: 1000 }, signal)
      return found.slice(-filter.limit)
    },
  }),
}
for (const filter of ['agentId', 'graphId', 'parentRunId', 'conversationId', 'status', 'source'] as const) {
  brokenStores[`ignores ${filter} of a list of runs`] = (store) => ({
    ...store,
    listRuns: (query, page, signal) => store.listRuns({ ...query, [filter]: undefined }, page, signal),
  })
}
for (const filter of ['text', 'graphId', 'status', 'from', 'to'] as const) {
  brokenStores[`ignores ${filter} when it counts sources`] = (store) => ({
    ...store,
    countRunSources: (query, signal) => store.countRunSources({ ...query, [filter]: undefined }, signal),
  })
}
brokenStores['counts no times'] = (store) => ({ ...store, countRunTimes: async () => [] })
brokenStores['counts no failures'] = (store) => ({ ...store, countFailures: async () => [] })
brokenStores['ignores the user of a failure'] = (store) => ({
  ...store,
  countFailures: (filter, signal) => store.countFailures({ ...filter, userId: undefined }, signal),
})
for (const filter of ['agentId', 'userId', 'tags'] as const) {
  brokenStores[`ignores ${filter} of a search`] = askingWith({ [filter]: undefined })
}

it.each(Object.keys(brokenStores))('a store that %s fails the kit', async (name) => {
  expect(await firstFailure(brokenStores[name] ?? ((store) => store))).toBeDefined()
})
