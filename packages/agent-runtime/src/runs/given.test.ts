import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createTestStore } from '../testing/create-test-store.ts'
import type { RuntimeStore } from '../store/ports/runtime-store.ts'
import { createKit, toolOf } from './testing/run-kit.ts'

const messages = [
  { role: 'user', content: 'My name is Ann.' },
  { role: 'assistant', content: 'Hello Ann.' },
] as const
const given = { store: false, messages: [...messages] }
const task = 'What is my name?'
const never = () => new Promise<void>(() => {})
const request = { agent_id: 'helper', task }

/** Roles and texts that the model has read. */
const readBy = (kit: ReturnType<typeof createKit>, call = 0) =>
  kit.model.calls[call]?.prompt.map(({ role, content }) => [
    role,
    typeof content === 'string' ? content : content.map((part) => ('text' in part ? part.text : '')).join(''),
  ])

const wholePrompt = [
  ['system', expect.any(String)],
  ['user', 'My name is Ann.'],
  ['assistant', 'Hello Ann.'],
  ['user', task],
]

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe('a run whose request brings its own history', () => {
  it('gives the model the messages before the task, and stores no conversation', async () => {
    const kit = createKit({ steps: [{ text: 'Ann.' }] })
    const { output, conversation_id } = await kit.run(task, given)
    expect(output).toBe('Ann.')
    expect(readBy(kit)).toEqual(wholePrompt)
    expect(await kit.store.findConversation(conversation_id)).toBeUndefined()
  })

  it('is rejected next to a conversation, and if the turn is to be stored', async () => {
    const kit = createKit()
    for (const other of [
      { store: true },
      { store: undefined },
      { conversation_id: 'c' },
      { regenerate: true },
    ]) {
      await expect(kit.run(task, { ...given, ...other })).rejects.toMatchObject({
        code: 'validation_error',
        message:
          'Starting a run failed: "messages" needs "store": false, and neither "conversation_id" nor "regenerate".',
      })
    }
  })

  it('A8: reads the same prompt after a crash', async () => {
    const store: RuntimeStore = { ...createTestStore(), isDurable: true }
    const tools = [toolOf('look', () => 'seen')]
    const steps = [{ toolCalls: [{ name: 'look' }] }, { text: 'never stored', gate: never }]
    const gone = createKit({ store: { ...store, renewRuns: never as never }, tools, steps })
    const started = await gone.runs.start({ ...request, ...given }, { instructions: 'Answer with one word.' })
    await vi.waitFor(async () => expect(await store.listRunMessages(started.runId)).toHaveLength(2))

    const other = createKit({ store, tools, steps: [{ text: 'Ann.' }] })
    const { result } = await other.runs.attach(started.runId)
    await vi.advanceTimersByTimeAsync(27_000)
    expect(await result).toMatchObject({ output: 'Ann.' })
    expect(readBy(other)?.slice(0, 4)).toEqual(wholePrompt)
    expect(readBy(other)?.[0]?.[1]).toMatch(/\n\nAnswer with one word\.$/)
    await other.runs.close()
  })

  it('rejects the same idempotency key with other messages or other instructions', async () => {
    const kit = createKit({ steps: [{ text: 'Ann.' }] })
    const keyed = { ...request, ...given, idempotency_key: 'k' }
    const first = await kit.runs.start(keyed, { instructions: 'Be brief.' })
    await first.result
    const again = await kit.runs.start(keyed, { instructions: 'Be brief.' })
    expect(again.runId).toBe(first.runId)
    const conflict = { code: 'conflict' }
    await expect(kit.runs.start(keyed)).rejects.toMatchObject(conflict)
    const shorter = { ...keyed, messages: [messages[0]] }
    await expect(kit.runs.start(shorter, { instructions: 'Be brief.' })).rejects.toMatchObject(conflict)
  })

  it('A20: counts an earlier answer as untrusted if the agent has a tool with untrusted results', async () => {
    const steps = [{ toolCalls: [{ name: 'pay' }] }, { text: 'Done.' }]
    const pay = toolOf('pay', () => 'paid', { effects: 'external', idempotent: false })
    const web = toolOf('web', () => 'page', { returnsUntrustedContent: true })
    const trusted = createKit({ tools: [pay], steps })
    expect(await trusted.run(task, given)).toMatchObject({ stop_reason: 'done' })
    const untrusted = createKit({ tools: [pay, web], steps })
    expect(await untrusted.run(task, given)).toMatchObject({ stop_reason: 'approval' })
    const own = createKit({ tools: [pay, web], steps })
    expect(await own.run(task, { store: false, messages: [messages[0]] })).toMatchObject({
      stop_reason: 'done',
    })
  })
})

describe('instructions of the caller', () => {
  it('follow the instructions of the agent', async () => {
    const kit = createKit({ steps: [{ text: 'Oui.' }] })
    const { result } = await kit.runs.start(request, { instructions: 'Answer in French.' })
    await result
    expect(readBy(kit)?.[0]?.[1]).toBe('You are helper, a helpful assistant.\n\nAnswer in French.')
  })

  it('are rejected if they are too long or not a string', async () => {
    const kit = createKit()
    for (const instructions of ['x'.repeat(1_000_001), 5 as never]) {
      await expect(kit.runs.start(request, { instructions })).rejects.toMatchObject({
        code: 'validation_error',
        message: expect.stringContaining('"instructions"'),
      })
    }
  })
})
