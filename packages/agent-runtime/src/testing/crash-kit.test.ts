import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { createRuntime } from '../runtime/create-runtime.ts'
import { createTestStore } from './create-test-store.ts'
import type { RuntimeStore } from '../store/ports/runtime-store.ts'
import type { RuntimeOptions } from '../runtime/runtime-options.ts'
import { createSqliteStore } from '../store/sqlite/create-sqlite-store.ts'
import type { StoreHarness } from './conformance-case.ts'
import { type CrashKitOptions, crashConformance } from './crash-kit.ts'
import { crashScenarios } from './crash-scenarios.ts'
import type { CrashScenario } from './crashes/scenario.ts'

// all points in a file take long on a busy machine
vi.setConfig({ testTimeout: 1_800_000 })

let home: string
let files = 0
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'homeward-crashes-'))
})
afterAll(() => rm(home, { recursive: true, force: true }))

const create = (options: RuntimeOptions) => createRuntime({ ...options, home })
const inMemory: StoreHarness<RuntimeStore> = { create: async () => ({ store: createTestStore() }) }
const inFile: StoreHarness<RuntimeStore> = {
  async create() {
    const path = join(home, `agents-${(files += 1)}.db`)
    let store = createSqliteStore({ path })
    return {
      store,
      async reopen() {
        await store.close()
        store = createSqliteStore({ path })
        return store
      },
      dispose: () => store.close(),
    }
  },
}

describe.each([
  ['in memory', inMemory, Number(process.env['CRASH_POINTS_EVERY'] ?? 12)],
  ['in an SQLite file', inFile, Number(process.env['CRASH_POINTS_EVERY'] ?? 80)],
] as const)('%s', (_, harness, every) => {
  it.each(crashScenarios.map((scenario) => ({ name: scenario.name, scenario })))(
    'A8: loses nothing and does nothing twice, wherever it is killed: $name',
    async ({ scenario }) => {
      const { points, crashes, problems } = await crashConformance(scenario, {
        createRuntime: create,
        harness,
        every,
      })
      expect(problems).toEqual([])
      expect(points).toBeGreaterThan(30)
      expect(crashes).toBeGreaterThanOrEqual(Math.floor(points / every))
    },
  )
})

describe('the kit finds', () => {
  /** A store that keeps its promises but for what `change` makes of it. */
  const broken = (change: (store: RuntimeStore) => Partial<RuntimeStore>): StoreHarness<RuntimeStore> => ({
    async create() {
      const store = createTestStore()
      return { store: { ...store, ...change(store) } }
    },
  })
  const scenario = (part: string) =>
    crashScenarios.find(({ name }) => name.includes(part)) ?? crashScenarios[0]!
  const problemsOf = async (part: string, options: Partial<CrashKitOptions>) => {
    const report = await crashConformance(scenario(part), {
      createRuntime: create,
      harness: inMemory,
      ...options,
    })
    return report.problems.join('\n')
  }

  it('a store that forgets what was announced', async () => {
    const harness = broken((store) => ({
      saveRunStep: async ({ intents = [], ...step }) =>
        store.saveRunStep({ ...step, intents: intents.filter(({ repeat }) => repeat === 'safe') }),
    }))
    expect(await problemsOf('side by side', { harness })).toMatch(
      /"to":1} was called twice, and may be called once/,
    )
  })

  it('a store that forgets how a call ended', async () => {
    const harness = broken(() => ({ saveEffect: async () => true }))
    expect(await problemsOf('side by side', { harness })).toMatch(
      /outcome of look was not kept while another/,
    )
  })

  it('a store that forgets which part of an answer was being sent', async () => {
    const harness = broken((store) => ({
      saveDelivery: async ({ parts = [], ...write }) =>
        store.saveDelivery({
          ...write,
          parts: parts.map((part) => (part.state === 'sending' ? { ...part, state: 'pending' } : part)),
        }),
    }))
    expect(await problemsOf('takes everything twice', { harness, every: 3 })).toMatch(/sent twice/)
  })

  it('a store that keeps a message and forgets that it has seen it', async () => {
    const harness = broken((store) => ({
      acceptMessages: async ({ acceptances, ...batch }) =>
        store.acceptMessages({ ...batch, acceptances: acceptances.map((one) => ({ ...one, keys: [] })) }),
    }))
    expect(await problemsOf('takes everything twice', { harness, every: 3 })).toMatch(/there are 7 messages/)
  })

  it('a store that forgets the key of a message to send', async () => {
    let sends = 0
    const harness = broken((store) => ({
      sendChannelMessage: async (message) =>
        store.sendChannelMessage({ ...message, id: `send-${(sends += 1)}` }),
    }))
    expect(await problemsOf('over REST', { harness })).toMatch(/there are 3 messages/)
  })

  it('a store that forgets whom a task is reported to', async () => {
    const harness = broken((store) => ({
      insertTask: async ({ reportTo: _reportTo, ...task }, journal) => store.insertTask(task, journal),
    }))
    expect(await problemsOf('reports of tasks', { harness })).toMatch(/there are 0 reports/)
  })

  it('a store that announces a call twice', async () => {
    const harness = broken((store) => ({
      async announceApproval(announcement) {
        for (const { message } of announcement.notices)
          await store.sendChannelMessage({ ...message, id: `${message.id} again` })
        return store.announceApproval(announcement)
      },
    }))
    expect(await problemsOf('a chat approves', { harness })).toMatch(/announced 2 times/)
  })

  it('a loop that writes outcomes down too late', async () => {
    const late = (options: RuntimeOptions) => {
      const { store } = options
      if (!store) throw new Error('The kit gives a store')
      return create({ ...options, store: { ...store, saveEffect: async () => true } })
    }
    expect(await problemsOf('side by side', { createRuntime: late })).toMatch(/was not kept while another/)
  })

  it('a loop that announces calls behind making them', async () => {
    const late = (options: RuntimeOptions) => {
      const { store } = options
      if (!store) throw new Error('The kit gives a store')
      const saveRunStep: RuntimeStore['saveRunStep'] = async ({ intents, ...step }) =>
        store.saveRunStep(
          intents ? { ...step, intents: intents.map((one) => ({ ...one, repeat: 'safe' })) } : step,
        )
      return create({ ...options, store: { ...store, saveRunStep } })
    }
    expect(await problemsOf('side by side', { createRuntime: late })).toMatch(/may be called once/)
  })

  it('a store that loses the last turn of a conversation', async () => {
    let finishes = 0
    const harness = broken((store) => ({
      async finishRun({ conversation, ...finish }) {
        finishes += 1
        const loses = finishes > 1 || conversation === undefined
        return store.finishRun(loses ? finish : { ...finish, conversation })
      },
    }))
    expect(await problemsOf('side by side', { harness })).toMatch(/lost: .* conversation 2/)
  })

  it('a store that loses the question of a run', async () => {
    let inserts = 0
    const harness = broken((store) => ({
      async insertRun({ question, ...run }, ...others) {
        inserts += 1
        const loses = inserts > 1 || question === undefined
        return store.insertRun(loses ? run : { ...run, question }, ...others)
      },
    }))
    expect(await problemsOf('side by side', { harness })).toMatch(/lost: .* conversation \d/)
  })
})

/** A tool of an app over a service that outlives its processes. */
function ownScenario(idempotent: boolean) {
  const booked: string[] = []
  const scenario: CrashScenario = {
    name: 'a run with a tool of the app',
    tools: [],
    ownTools: () => [
      {
        id: 'book',
        description: 'Books a room.',
        inputSchema: { type: 'object', properties: { room: { type: 'integer' } } },
        effects: 'external',
        idempotent,
        returnsUntrustedContent: false,
        execute: async (args, { idempotencyKey }) => {
          // a service that knows the key, and one that does not
          if (!idempotent || !booked.includes(idempotencyKey)) booked.push(idempotencyKey)
          return { booked: args['room'] ?? null }
        },
      },
    ],
    models: {
      worker: [
        { toolCalls: [{ name: 'book', id: 'a', args: { room: 1 } }] },
        { toolCalls: [{ name: 'book', id: 'b', args: { room: 2 } }] },
        { text: 'Booked.' },
      ],
    },
    prepare: async (runtime) => void (await runtime.agents.create({ id: 'worker', model: 'crash/worker' })),
    begin: () => ({
      async work(runtime) {
        await runtime.run({ agent_id: 'worker', task: 'Book', idempotency_key: 'same' })
      },
    }),
  }
  return scenario
}

it.each([true, false])(
  'A8: kills around the calls of a tool of the app (idempotent: %s)',
  async (idempotent) => {
    const scenario = ownScenario(idempotent)
    const { points, crashes, problems } = await crashConformance(scenario, {
      createRuntime: create,
      harness: inMemory,
      every: 2,
    })
    expect(problems).toEqual([])
    expect(points).toBeGreaterThan(20)
    expect(crashes).toBeGreaterThan(10)
  },
)

it('finds tools of the app that the next process does not have', async () => {
  const scenario = ownScenario(true)
  const lost: CrashScenario = {
    ...scenario,
    ownTools: (process) => (scenario.ownTools?.(process) ?? []).filter(() => process < 2),
  }
  const { problems } = await crashConformance(lost, { createRuntime: create, harness: inMemory })
  expect(problems.length).toBeGreaterThan(0)
})
