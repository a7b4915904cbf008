import type { LanguageModelV4CallOptions } from '@ai-sdk/provider'
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { createTestStore } from '../testing/create-test-store.ts'
import type { RuntimeStore } from '../store/ports/runtime-store.ts'
import { createSqliteStore } from '../store/sqlite/index.ts'
import type { ScriptedStep } from '../testing/scripted-model.ts'
import { createCrashStore } from './testing/crash-store.ts'
import { createGate, createKit } from './testing/run-kit.ts'

const stores = {
  memory: () => createTestStore(),
  SQLite: () => createSqliteStore({ path: ':memory:' }),
}

const again = { regenerate: true, conversation_id: 'c' } as const

/** What a model reads, without the system prompt. */
function textsOf({ prompt }: LanguageModelV4CallOptions): string[] {
  const said = prompt.filter(({ role }) => role !== 'system')
  return said.map(({ content }) => (content as { text: string }[]).map(({ text }) => text).join('')) // no tools here
}

async function keptIn(store: RuntimeStore): Promise<string[]> {
  const { rows } = await store.listMessages('c', { limit: 100 })
  const texts = rows.map(({ message }) => {
    if (message.role === 'user') return message.text
    return message.role === 'assistant'
      ? message.parts.map((part) => (part.type === 'text' ? part.text : '')).join('')
      : ''
  })
  return texts.toReversed()
}

interface Act {
  /** Absent: the newest question is answered anew. */
  readonly ask?: string
  readonly fails: boolean
}

const acts = fc.array(
  fc.record<Act>({ ask: fc.constantFrom('p', 'q'), fails: fc.boolean() }, { requiredKeys: ['fails'] }),
  { maxLength: 8 },
)

it.each(Object.entries(stores))(
  'A6: whatever is asked and answered anew, a model reads each question once, with its newest answer (%s)',
  async (_, createStore) => {
    const law = async (given: readonly Act[]): Promise<void> => {
      const store = createStore()
      const reads: string[][] = []
      const steps = given.map(({ fails }, index) => (call: LanguageModelV4CallOptions): ScriptedStep => {
        reads.push(textsOf(call))
        return fails ? { error: new Error('down') } : { text: `answer ${index}` }
      })
      const { run, runs } = createKit({ store, steps, retry: { attempts: 0 } })
      const turns: { readonly question: string; answer?: string }[] = []
      for (const [index, { ask, fails }] of given.entries()) {
        const last = ask === undefined ? turns.pop() : undefined
        const turn = last ?? { question: ask ?? 'p' }
        const before = turns.flatMap(({ question, answer }) => [question, answer ?? []].flat())
        await run(turn.question, ask === undefined ? again : { conversation_id: 'c' })
        // neighbors of one role are one message
        expect(reads[index]?.join('\n\n')).toBe([...before, turn.question].join('\n\n'))
        if (!fails) turn.answer = `answer ${index}`
        turns.push(turn)
      }
      const questions = (await keptIn(store)).filter((text) => text.length === 1)
      expect(questions).toEqual(turns.map(({ question }) => question))
      await runs.close()
      await store.close()
    }
    await fc.assert(fc.asyncProperty(acts, law), { numRuns: 60 })
  },
)

it.each([1, 2, 3, 4])('A6: a question is answered anew behind a crash at write %i of its run', async (at) => {
  const inner = createTestStore()
  const kitOf = (process: number, store: RuntimeStore, answers: readonly string[]) => {
    const nowMs = Date.UTC(2026, 0, 1) + process * 60_000
    const steps = answers.map((text) => ({ text }))
    return createKit({ store, steps, now: () => nowMs, createId: () => `${process}-${(ids += 1)}` })
  }
  let ids = 0
  await kitOf(1, inner, ['one']).run('p', { conversation_id: 'c' })
  const crash = createCrashStore(inner, at, 'before')
  const request = { ...again, idempotency_key: 'key' }
  await Promise.race([kitOf(2, crash.store, ['two']).run('p', request), crash.gone])
  const third = kitOf(3, inner, ['two', 'x'])
  await third.run('p', request)
  expect(await keptIn(inner)).toEqual(['p', 'one', 'two'])
  await third.run('q', { conversation_id: 'c' })
  expect(third.model.calls.map(textsOf).at(-1)).toEqual(['p', 'two', 'q'])
})

it('A6: an answer that was overtaken by another question belongs to its own', async () => {
  const gate = createGate()
  const kit = createKit({
    steps: [{ text: 'one' }, { text: 'two', gate: gate.wait }, { text: 'three' }, { text: 'four' }],
  })
  await kit.run('p', { conversation_id: 'c' })
  const answering = kit.run('p', again)
  while (kit.model.calls.length < 2) await new Promise(setImmediate)
  await kit.run('q', { conversation_id: 'c' })
  gate.open()
  await answering
  expect(await keptIn(kit.store)).toEqual(['p', 'one', 'q', 'three', 'two'])
  await kit.run('r', { conversation_id: 'c' })
  expect(kit.model.calls.map(textsOf).at(-1)).toEqual(['p', 'two', 'q', 'three', 'r'])
})

it('A6: a question is new where the conversation has none', async () => {
  const kit = createKit({ steps: [{ text: 'one' }, { text: 'two' }] })
  await kit.run('p', again)
  expect(await keptIn(kit.store)).toEqual(['p', 'one'])
  await expect(kit.run('q', again)).rejects.toMatchObject({ code: 'conflict' })
})
