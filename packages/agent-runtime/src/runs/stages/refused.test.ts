import { APICallError, type LanguageModelV4CallOptions } from '@ai-sdk/provider'
import { expect, it } from 'vitest'
import type { RuntimeStore } from '../../store/ports/runtime-store.ts'
import { createTestStore } from '../../testing/create-test-store.ts'
import type { ScriptedStep } from '../../testing/scripted-model.ts'
import { createCrashStore, type CrashStore } from '../testing/crash-store.ts'
import { agentOf, createKit, modelsOf, toolOf } from '../testing/run-kit.ts'
import { createScriptedModel } from '../../testing/scripted-model.ts'

const refused = (statusCode = 400) =>
  new APICallError({ message: 'no', url: 'https://api.example/v1', requestBodyValues: {}, statusCode })

/** A model that refuses prompts with a word in them. */
const refusing = (word: string, error: ScriptedStep = { error: refused() }) =>
  Array.from({ length: 40 }, () => ({ prompt }: LanguageModelV4CallOptions): ScriptedStep => {
    return JSON.stringify(prompt).includes(word) ? error : { text: 'ok' }
  })

const chat = { conversation_id: 'chat' }

it('finds a text that a filter withholds without a status', async () => {
  const kit = createKit({ steps: refusing('forbidden', { finish: 'content-filter' }) })
  expect((await kit.run('a forbidden text', chat)).error).toContain('rejected the text of the message')
  expect(await kit.run('Hello', chat)).toMatchObject({ success: true })
})

it('finds the one rejected result of a tool, and keeps the others', async () => {
  const { steps, calls } = { steps: refusing('forbidden'), calls: [{ name: 'good' }, { name: 'bad' }] }
  const kit = createKit({
    steps: [{ toolCalls: calls }, ...steps],
    tools: [toolOf('good', () => 'fine'), toolOf('bad', () => 'forbidden')],
  })
  const failed = await kit.run('Look', chat)
  expect(failed.error).toContain('rejected the result of the tool "bad" (')
  expect(await kit.run('Go on', chat)).toMatchObject({ success: true })
  expect(JSON.stringify(kit.model.calls.at(-1)?.prompt)).toContain('fine')
})

const idsFrom = (name: string) => {
  let ids = 0
  return () => `${name}-${(ids += 1)}`
}

it('asks the provider at most four times more, and not at all about a model that does not exist', async () => {
  const wrong = createKit({ steps: Array.from({ length: 9 }, () => ({ error: refused() })) })
  await wrong.run('One', chat)
  await wrong.run('Two', chat)
  expect(wrong.model.calls).toHaveLength(2 + 3)
  const gone = createKit({ steps: [{ error: refused(404) }] })
  await gone.run('One', chat)
  gone.model.assertComplete()
})

it('marks nothing when it cannot tell, and tries again with the next message', async () => {
  const busy = { error: refused(503) }
  const steps = [{ error: refused() }, busy, { error: refused() }, { text: 'ok' }, { text: 'ok' }]
  const kit = createKit({ steps })
  expect((await kit.run('One', chat)).error).toMatch(/status 400$/)
  expect((await kit.run('Two', chat)).error).toContain('rejected the text of the message')
})

it('asks the model that refused last, once no other one takes the prompt', async () => {
  const second = createScriptedModel(refusing('forbidden'))
  const models = { 'scripted/main': createScriptedModel(refusing('forbidden')), 'scripted/second': second }
  const kit = createKit({
    agents: [agentOf({ fallback_models: ['scripted/second'] })],
    models: modelsOf(models),
  })
  expect((await kit.run('a forbidden text', chat)).error).toContain(
    'scripted/second failed: the provider rejected',
  )
  expect(models['scripted/main'].calls).toHaveLength(1)
})

/** Asks in a conversation, and ends the process at a write. Then asks again. */
async function crashAt(store: RuntimeStore, crash: CrashStore) {
  const request = { agent_id: 'helper', task: 'a forbidden text', idempotency_key: 'key', ...chat }
  const open = (of: RuntimeStore, name: string, nowMs = 0) =>
    createKit({
      store: of,
      steps: refusing('forbidden'),
      createId: idsFrom(name),
      now: () => Date.UTC(2026, 0, 1) + nowMs,
    })
  const starting = open(crash.store, 'a')
    .runs.start(request)
    .then(({ result }) => result)
  await Promise.race([starting, crash.gone])
  const second = open(store, 'b', 60_000)
  const { result } = await second.runs.start(request)
  return { failed: await result, next: await second.run('Hello', chat) }
}

it('leaves a conversation usable wherever the process is killed', async () => {
  const undisturbed = createTestStore()
  const whole = createCrashStore(undisturbed, Infinity, 'before')
  await crashAt(undisturbed, whole)
  for (let at = 1; at <= whole.count(); at += 1) {
    for (const when of ['before', 'behind'] as const) {
      const store = createTestStore()
      const { failed, next } = await crashAt(store, createCrashStore(store, at, when))
      expect(failed, `${when} ${at}`).toMatchObject({ success: false })
      expect(next, `${when} ${at}`).toMatchObject({ success: true, output: 'ok' })
      const { rows } = await store.listMessages('chat', { limit: 9 })
      expect(rows.map(({ message }) => message.role).toReversed(), `${when} ${at}`).toEqual([
        'user',
        'assistant',
        'user',
        'assistant',
      ])
    }
  }
})
