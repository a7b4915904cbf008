import type { LanguageModelV4CallOptions } from '@ai-sdk/provider'
import { describe, expect, it, vi } from 'vitest'
import { createRuntime } from '../index.ts'
import type { RuntimeStore } from '../store/ports/runtime-store.ts'
import { createSqliteStore } from '../store/sqlite/index.ts'
import { createScriptedModel, type ScriptedResponse } from '../testing/scripted-model.ts'
import { createTestStore } from '../testing/create-test-store.ts'
import { createCrashStore } from './testing/crash-store.ts'
import { agentOf, createGate, createKit, toolOf } from './testing/run-kit.ts'

const stores = {
  memory: () => createTestStore(),
  SQLite: () => createSqliteStore({ path: ':memory:' }),
}

const textsOf = ({ prompt }: LanguageModelV4CallOptions) =>
  prompt
    .filter(({ role }) => role !== 'system')
    .map(({ content }) => (content as { text?: string }[]).map(({ text = '' }) => text).join(''))

/** A runtime with an agent whose model answers like this. */
async function open(steps: readonly ScriptedResponse[], store: RuntimeStore) {
  const model = createScriptedModel(steps)
  const retry = { attempts: 0 }
  const runtime = createRuntime({ environment: {}, store, retry, models: { x: () => model } })
  await runtime.agents.create({ id: 'a', model: 'x/a' })
  return {
    runtime,
    model,
    async kept() {
      const { messages } = await runtime.conversations.get('c')
      return messages.map(({ content }) => content)
    },
    [Symbol.asyncDispose]: () => runtime.close(),
  }
}

describe.each(Object.entries(stores))('A12: the question of a run is stored first (%s)', (_, createStore) => {
  it('is shown at once, with the run that works on it', async () => {
    const gate = createGate()
    await using page = await open([{ text: 'Hello.', gate: gate.wait }], createStore())
    const { runtime } = page
    const message_id = 'page-1'
    const handle = await runtime.runs.start({ agent_id: 'a', task: 'Hi', conversation_id: 'c', message_id })
    const { conversation, messages } = await runtime.conversations.get('c')
    expect(conversation).toMatchObject({ title: 'Hi', message_count: 1, active_run_id: handle.runId })
    expect(messages).toEqual([
      expect.objectContaining({ id: message_id, role: 'user', content: 'Hi', run_id: handle.runId }),
    ])
    const { conversations } = await runtime.conversations.list()
    expect(conversations).toEqual([{ ...conversation, active_run_status: 'running' }])
    gate.open()
    await handle.result
    const after = await runtime.conversations.get('c')
    expect(after.conversation.active_run_id).toBeUndefined()
    expect(after.messages.map(({ id }) => id)).toEqual([message_id, `${handle.runId}.0`])
  })

  it('is rejected under an id that another message of the conversation has', async () => {
    await using page = await open([{ text: 'Hello.' }], createStore())
    const asked = { agent_id: 'a', conversation_id: 'c', message_id: 'm' }
    await page.runtime.run({ ...asked, task: 'Hi' })
    await expect(page.runtime.run({ ...asked, task: 'Hi Bob' })).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('Send it with a new id, or name'),
    })
    expect(await page.kept()).toEqual(['Hi', 'Hello.'])
  })

  it('stays when the run fails or is cancelled, and the next run reads it', async () => {
    const gate = createGate()
    const steps = [{ error: new Error('down') }, { text: 'x', gate: gate.wait }, { text: 'Both.' }]
    await using page = await open(steps, createStore())
    const { runtime } = page
    const about = { agent_id: 'a', conversation_id: 'c' }
    await runtime.run({ ...about, task: 'one' })
    const second = await runtime.runs.start({ ...about, task: 'two' })
    while (page.model.calls.length < 2) await new Promise(setImmediate)
    await runtime.runs.cancel(second.runId)
    await runtime.run({ ...about, task: 'three' })
    expect(await page.kept()).toEqual(['one', 'two', 'three', 'Both.'])
    expect(page.model.calls.map(textsOf).at(-1)?.join(' ')).toMatch(/^one\s+two\s+three$/)
  })

  it('stays away with a conversation that was deleted in the first turn, whose run is cancelled', async () => {
    const gate = createGate()
    await using page = await open([{ text: 'x', gate: gate.wait }, { text: 'New.' }], createStore())
    const { runtime } = page
    const first = await runtime.runs.start({ agent_id: 'a', task: 'secret', conversation_id: 'c' })
    await runtime.conversations.delete('c')
    expect(await runtime.runs.find(first.runId)).toMatchObject({ status: 'cancelled' })
    expect((await runtime.conversations.list()).conversations).toEqual([])
    await runtime.run({ agent_id: 'a', task: 'hi', conversation_id: 'c' })
    expect(await page.kept()).toEqual(['hi', 'New.'])
  })

  it('is read by other runs once it has an answer, and then together with the answer', async () => {
    const gate = createGate()
    await using page = await open(
      [{ text: 'A.', gate: gate.wait }, { text: 'B.' }, { text: 'C.' }],
      createStore(),
    )
    const { runtime } = page
    const about = { agent_id: 'a', conversation_id: 'c' }
    const first = await runtime.runs.start({ ...about, task: 'p' })
    while (page.model.calls.length < 1) await new Promise(setImmediate)
    await runtime.run({ ...about, task: 'q' })
    gate.open()
    await first.result
    await runtime.run({ ...about, task: 'r' })
    expect(page.model.calls.map(textsOf)).toEqual([['p'], ['q'], ['p', 'A.', 'q', 'B.', 'r']])
    expect(await page.kept()).toEqual(['p', 'q', 'B.', 'A.', 'r', 'C.'])
  })

  it('is not regenerated while its first run works', async () => {
    const gate = createGate()
    await using page = await open([{ text: 'A.', gate: gate.wait }], createStore())
    const about = { agent_id: 'a', conversation_id: 'c', task: 'p' }
    const first = await page.runtime.runs.start(about)
    await expect(page.runtime.runs.start({ ...about, regenerate: true })).rejects.toMatchObject({
      code: 'conflict',
    })
    gate.open()
    await first.result
    expect(await page.kept()).toEqual(['p', 'A.'])
  })

  it('is stored once for all attempts of a task', async () => {
    const down = { error: new Error('down') }
    await using page = await open([down, down, { text: 'Done.' }, { text: 'More.' }], createStore())
    const { runtime } = page
    const about = { agent_id: 'a', conversation_id: 'c' }
    const { task } = await runtime.tasks.create({ ...about, task: 'p', max_attempts: 1 })
    const ends = (status: string) => async () =>
      expect(await runtime.tasks.get(task.id)).toMatchObject({ status })
    await vi.waitFor(ends('failed'))
    await runtime.tasks.retry(task.id)
    await vi.waitFor(async () => expect(page.model.calls).toHaveLength(2))
    await vi.waitFor(ends('failed'))
    await runtime.tasks.retry(task.id)
    await vi.waitFor(ends('completed'))
    expect(await page.kept()).toEqual(['p', 'Done.'])
    await runtime.run({ ...about, task: 'q' })
    expect(page.model.calls.map(textsOf)).toEqual([['p'], ['p'], ['p'], ['p', 'Done.', 'q']])
  })
})

it('A12: another attempt at a task reads what the one before has done', async () => {
  const kit = createKit({
    steps: [
      { toolCalls: [{ name: 'pay' }] },
      { error: new Error('down') },
      { text: 'Paid before.' },
      { text: 'x' },
    ],
    tools: [toolOf('pay', () => 'paid')],
    retry: { attempts: 0 },
  })
  const asked = { agent_id: 'helper', task: 'Pay', conversation_id: 'c' }
  const attempt = async (isRetry: boolean) =>
    (await kit.runs.start(asked, { questionId: 't.question', isRetry })).result
  await attempt(false)
  await attempt(true)
  expect(JSON.stringify(kit.model.calls.at(-1)?.prompt)).toContain('paid')
  const { rows } = await kit.store.listMessages('c', { limit: 99 })
  expect(rows.filter(({ message }) => message.role === 'user')).toHaveLength(1)
  await kit.run('And now?', { conversation_id: 'c' })
  expect(JSON.stringify(kit.model.calls.at(-1)?.prompt)).toContain('paid')
})

it('A12: what guards left of a question is stored once they have passed it, and nothing that they refused', async () => {
  const gate = createGate()
  const kit = createKit({
    steps: [{ text: 'Hello.', gate: gate.wait }, { text: 'More.' }],
    guards: {
      input: ({ text }) => (text.includes('bad') ? { refuse: 'no' } : { replace: `[${text}]` }),
    },
  })
  await kit.run('bad', { conversation_id: 'c' })
  expect(await kit.store.findConversation('c')).toBeUndefined()
  const first = kit.run('Hi', { conversation_id: 'c', message_id: 'm' })
  while (kit.model.calls.length === 0) await new Promise(setImmediate)
  const { rows } = await kit.store.listMessages('c', { limit: 9 })
  expect(rows).toMatchObject([{ id: 'm', message: { text: '[Hi]' } }])
  gate.open()
  await first
  await kit.run('And?', { conversation_id: 'c' })
  expect(kit.model.calls.map(textsOf).at(-1)).toEqual(['[Hi]', 'Hello.', '[And?]'])
  expect((await kit.store.findConversation('c'))?.messageCount).toBe(4)
})

it.each([1, 2, 3].flatMap((at) => [[at, 'before'] as const, [at, 'behind'] as const]))(
  'A12: a question is stored once, whatever write %i of its run a process ends at (%s)',
  async (at, when) => {
    const inner = createTestStore()
    let ids = 0
    const kitOf = (process: number, store = inner) =>
      createKit({
        store,
        steps: [{ toolCalls: [{ name: 'look' }] }, { text: 'Done' }, { text: 'More' }],
        tools: [toolOf('look', () => 'seen')],
        agents: [agentOf()],
        now: () => Date.UTC(2026, 0, 1) + process * 60_000,
        createId: () => `${process}-${(ids += 1)}`,
      })
    const asked = { conversation_id: 'c', idempotency_key: 'k', message_id: 'm' }
    const crash = createCrashStore(inner, at, when)
    const first = kitOf(1, crash.store).run('p', asked)
    await Promise.race([first, crash.gone])
    const second = kitOf(2)
    await second.run('p', asked)
    const { rows } = await inner.listMessages('c', { limit: 99 })
    const roles = rows.toReversed().map(({ message }) => message.role)
    expect(roles).toEqual(['user', 'assistant', 'tool', 'assistant'])
    expect(rows.at(-1)?.id).toBe('m')
    await second.runs.close()
  },
)
