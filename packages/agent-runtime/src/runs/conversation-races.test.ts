import { expect, it, vi } from 'vitest'
import { createRuntime, type RuntimeOptions } from '../index.ts'
import { createTestStore } from '../testing/create-test-store.ts'
import { createSqliteStore } from '../store/sqlite/index.ts'
import { createScriptedModel } from '../testing/scripted-model.ts'
import { agentOf, createGate, createKit, modelsOf } from './testing/run-kit.ts'

const stores = {
  memory: () => createTestStore(),
  SQLite: () => createSqliteStore({ path: ':memory:' }),
}

/** Two agents whose first answers wait for gates of their own, over one store. */
async function openTwo(options: RuntimeOptions) {
  const gates = { one: createGate(), two: createGate() }
  const warn = vi.fn()
  const scripted = (id: string) =>
    createScriptedModel([
      { text: `answer of ${id}`, gate: id === 'one' ? gates.one.wait : gates.two.wait },
      { text: 'more' },
    ])
  const logger = { warn, error: vi.fn() }
  const runtime = createRuntime({ environment: {}, ...options, logger, models: { x: scripted } })
  for (const id of ['one', 'two']) await runtime.agents.create({ id, model: `x/${id}` })
  return { runtime, gates, warn }
}

it.each(Object.entries(stores))(
  'A12: of two runs that begin one conversation at once, the run of the other agent is rejected (%s)',
  async (_, createStore) => {
    const { runtime, gates, warn } = await openTwo({ store: createStore() })
    await using _closed = runtime
    const conversation_id = 'support'
    const ann = runtime.run({ agent_id: 'one', user_id: 'ann', task: 'of ann', conversation_id })
    const bob = runtime.run({ agent_id: 'two', user_id: 'bob', task: 'SECRET of bob', conversation_id })
    await expect(bob).rejects.toMatchObject({ code: 'not_found' })
    gates.one.open()
    expect(await ann).toMatchObject({ success: true })
    expect(warn).not.toHaveBeenCalled()

    const { conversation, messages } = await runtime.conversations.get(conversation_id)
    expect(conversation).toMatchObject({ agent_id: 'one', user_id: 'ann', message_count: 2 })
    expect(messages.map(({ content }) => content)).toEqual(['of ann', 'answer of one'])
    expect((await runtime.runs.list()).runs).toHaveLength(1)
    await runtime.run({ agent_id: 'one', user_id: 'ann', task: 'and now?', conversation_id })
    expect((await runtime.conversations.get(conversation_id)).messages).toHaveLength(4)
  },
)

it.each(Object.entries(stores))(
  'A12: a conversation that is deleted while a run works in it stays deleted, and the run is cancelled (%s)',
  async (_, createStore) => {
    const { runtime, gates, warn } = await openTwo({ store: createStore() })
    await using _closed = runtime
    const { conversationId: conversation_id } = await runtime.conversations.append({
      agent_id: 'one',
      role: 'user',
      content: 'before',
    })
    const ending = runtime.run({ agent_id: 'one', task: 'x', conversation_id })
    await vi.waitFor(async () => expect((await runtime.runs.list()).runs).toHaveLength(1))
    await runtime.conversations.delete(conversation_id)
    gates.one.open() // for the next run
    const { run_id } = await ending
    expect(await runtime.runs.find(run_id)).toMatchObject({ status: 'cancelled' })
    await expect(runtime.conversations.get(conversation_id)).rejects.toMatchObject({ code: 'not_found' })
    expect(warn).not.toHaveBeenCalled()
    // the next run begins it again
    await runtime.run({ agent_id: 'one', task: 'y', conversation_id })
    expect((await runtime.conversations.get(conversation_id)).messages).toHaveLength(2)
  },
)

it('A12: a run whose conversation is gone at its end keeps its result, and says that nobody has its answer', async () => {
  const gate = createGate()
  const kit = createKit({ steps: [{ text: 'a', gate: gate.wait }] })
  const ending = kit.run('x', { conversation_id: 'c' })
  while (kit.model.calls.length === 0) await new Promise(setImmediate)
  await kit.store.deleteConversation('c')
  gate.open()
  expect(await ending).toMatchObject({ success: true, output: 'a' })
  expect(await kit.store.findConversation('c')).toBeUndefined()
  expect(kit.warnings).toEqual([expect.stringContaining('was deleted')])
})

it('A12: two users of one agent do not share what they begin at once', async () => {
  const gate = createGate()
  const steps = [
    { text: 'a', gate: gate.wait },
    { text: 'b', gate: gate.wait },
  ]
  const kit = createKit({ steps })
  const runs = ['ann', 'bob'].map((user_id) =>
    kit.run(`task of ${user_id}`, { user_id, conversation_id: 'c' }),
  )
  gate.open()
  const ends = await Promise.allSettled(runs)
  expect(ends.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
  const found = await kit.store.findConversation('c')
  const { rows } = await kit.store.listMessages('c', { limit: 9 })
  expect(rows.at(-1)?.message).toEqual({ role: 'user', text: `task of ${found?.userId}` })
  expect(rows).toHaveLength(2)
})

it('A12: a run is rejected if another caller began its conversation after the run checked', async () => {
  const store = createTestStore()
  const looked = createGate()
  const model = createScriptedModel([{ text: 'Done' }])
  const kit = createKit({
    agents: [agentOf({ id: 'two' })],
    models: modelsOf({ 'scripted/main': model }),
    store: {
      ...store,
      // what was seen when it began is there no more when it is prepared
      insertRun: async (...given) => {
        await looked.wait()
        return store.insertRun(...given)
      },
    },
  })
  const ended = kit.run('of bob', { user_id: 'bob', conversation_id: 'c' })
  const message = { role: 'user', text: 'SECRET of ann' } as const
  const now = '2026-01-01T00:00:00.000Z'
  const messages = [{ id: 'm', message }]
  await new Promise((resolve) => setImmediate(resolve))
  await store.appendMessages({ conversationId: 'c', agentId: 'one', userId: 'ann', messages, now })
  looked.open()
  await expect(ended).rejects.toMatchObject({ code: 'not_found' })
  expect(model.calls).toEqual([])
  expect((await store.listMessages('c', { limit: 9 })).rows).toHaveLength(1)
})

it('another failure of the end is reported unchanged', async () => {
  const store = createTestStore()
  const finishRun = vi.fn(() => Promise.reject(new Error('disk full')))
  const kit = createKit({ store: { ...store, finishRun }, steps: [{ text: 'Done' }] })
  expect(await kit.run()).toMatchObject({ success: false })
  expect(finishRun).toHaveBeenCalledTimes(1)
})

it('A12: names a conversation after its first task, whose last character is whole', async () => {
  const kit = createKit({ steps: [{ text: 'Yes' }] })
  const { conversation_id: id } = await kit.run(`${'x'.repeat(79)}😀 and on`)
  expect((await kit.store.findConversation(id))?.title).toBe('x'.repeat(79))
})
