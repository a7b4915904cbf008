import { expect, it, onTestFinished, vi } from 'vitest'
import { createRuntime } from '../runtime/create-runtime.ts'
import { createTestStore } from '../testing/create-test-store.ts'
import { createScriptedModel, type ScriptedResponse } from '../testing/scripted-model.ts'
import { openChannelRuntime } from '../channels/testing/channel-runtime.ts'

const start = {
  toolCalls: [{ id: 'b1', name: 'run_agent', args: { agent_id: 'helper', task: 'Dig', background: true } }],
}
const until = <T>(check: () => T) => vi.waitFor(check, { timeout: 20_000, interval: 5 })

/** A model for the parent, and one for the agent in the background, which waits for `release`. */
function models(steps: readonly ScriptedResponse[], output: ScriptedResponse | 'fails' = { text: 'Gold.' }) {
  const { promise, resolve: release } = Promise.withResolvers<void>()
  const parent = createScriptedModel(steps)
  const helper = createScriptedModel(output === 'fails' ? [] : [output])
  const { doStream, doGenerate } = helper
  helper.doStream = async (call) => {
    await Promise.race([
      promise,
      new Promise((_, reject) =>
        call.abortSignal?.addEventListener('abort', () => reject(call.abortSignal?.reason)),
      ),
    ])
    return doStream.call(helper, call)
  }
  helper.doGenerate = async (call) => {
    await promise
    return doGenerate.call(helper, call)
  }
  return { release, parent, models: { mine: () => parent, other: () => helper } }
}

async function open(steps: readonly ScriptedResponse[], output?: ScriptedResponse | 'fails') {
  const kit = models(steps, output)
  const store = createTestStore()
  const runtime = createRuntime({ environment: {}, models: kit.models, store })
  onTestFinished(() => runtime.close())
  await runtime.agents.create({ id: 'boss', model: 'mine/x' })
  await runtime.agents.create({ id: 'helper', model: 'other/x' })
  await runtime.start()
  return {
    ...kit,
    store,
    runtime,
    run: (task: string) => runtime.run({ agent_id: 'boss', task, conversation_id: 'c' }),
    runs: async () => (await runtime.runs.list()).runs.toReversed(),
    read: (call: number) => JSON.stringify(kit.parent.calls[call]?.prompt),
  }
}

it('starts an agent in the background, and begins a run with its output', async () => {
  const kit = await open([start, { text: 'It digs.' }, { text: 'It found gold.' }])
  const result = await kit.run('Find gold')
  expect(result.output).toBe('It digs.')
  const [, child] = await kit.runs()
  expect(result.steps[0]?.result).toEqual({ run_id: child?.id, status: 'running' })
  kit.release()
  await until(async () => expect((await kit.runs())[2]?.status).toBe('completed'))
  const [parent, , third] = await kit.runs()
  expect(third).toMatchObject({ agent_id: 'boss', source: 'background', conversation_id: 'c' })
  expect(kit.read(2)).toContain(`(run ${child?.id}) has ended. Its output:`)
  expect(kit.read(2)).toContain('Gold.')
  expect(child).toMatchObject({ parent_run_id: parent?.id })
  const { messages } = await kit.runtime.conversations.get('c')
  expect(messages.at(-1)?.content).toBe('It found gold.')
})

it('gives the output to a run of the conversation that works', async () => {
  const ask = { toolCalls: [{ id: 'q', name: 'ask_user', args: { message: 'Deeper?' } }] }
  const kit = await open([start, ask, { text: 'Gold, deep down.' }])
  await kit.runtime.agents.update('boss', { ask_user: true })
  const result = await kit.run('Find gold')
  expect(result.stop_reason).toBe('waiting')
  kit.release()
  await until(async () => expect((await kit.runs())[1]?.status).toBe('completed'))
  const [parent] = await kit.runs()
  expect(parent).toMatchObject({ status: 'waiting', messages: [{ mode: 'steer' }] })
  const [wait] = result.waits ?? []
  await kit.runtime.runs.answerWait(result.run_id, wait?.id ?? '', { data: 'yes' })
  await until(async () => expect((await kit.runs())[0]?.status).toBe('completed'))
  expect(kit.read(2).split('Gold.')).toHaveLength(2)
  expect(await kit.runs()).toHaveLength(2)
})

it('reports that the agent failed', async () => {
  const kit = await open([start, { text: 'It digs.' }, { text: 'It failed.' }], 'fails')
  await kit.run('Find gold')
  kit.release()
  await until(() => expect(kit.parent.calls).toHaveLength(3))
  expect(kit.read(2)).toContain('failed: ')
})

it('reports nothing of a run that a person canceled', async () => {
  const kit = await open([start, { text: 'It digs.' }, { text: 'Hello.' }])
  await kit.run('Find gold')
  const [, child] = await kit.runs()
  await kit.runtime.runs.cancel(child?.id ?? '')
  await kit.run('Hello')
  expect(kit.read(2)).not.toContain('in the background')
  expect(await kit.runs()).toHaveLength(3)
  expect((await kit.runtime.tasks.list()).tasks).toEqual([])
})

it('goes on when the run that started it is canceled', async () => {
  const ask = { toolCalls: [{ id: 'q', name: 'ask_user', args: { message: 'Deeper?' } }] }
  const kit = await open([start, ask, { text: 'Done.' }])
  await kit.runtime.agents.update('boss', { ask_user: true })
  const { run_id } = await kit.run('Find gold')
  await kit.runtime.runs.cancel(run_id)
  kit.release()
  await until(() => expect(kit.parent.calls).toHaveLength(3))
  expect(kit.read(2)).toContain('Gold.')
})

it('draws on the budget of the agent that started it', async () => {
  const kit = await open([start, { text: 'It digs.' }, { text: 'Done.' }])
  await kit.runtime.agents.update('boss', { budget: { max_tokens: 1_000_000, period: 'day' } })
  await kit.run('Find gold')
  const [parent, child] = await kit.runs()
  const accountsOf = async (id = '') => (await kit.store.findRun(id))?.accounts
  expect(await accountsOf(parent?.id)).toHaveLength(1)
  expect(await accountsOf(child?.id)).toEqual(await accountsOf(parent?.id))
})

it('sends the answer to the chat of the conversation', async () => {
  const { release, parent, models: given } = models([start, { text: 'It digs.' }, { text: 'It found gold.' }])
  const kit = await openChannelRuntime({}, { models: given })
  await kit.runtime.agents.update('parrot', { model: 'mine/x' })
  await kit.runtime.agents.create({ id: 'helper', model: 'other/x' })
  await kit.runtime.start()
  await kit.allow('ann')
  await kit.write({ text: 'Find gold', sender: 'ann' })
  await kit.until(() => expect(kit.texts()).toEqual(['*It digs.*']))
  release()
  await kit.until(() => expect(kit.texts()).toEqual(['*It digs.*', '*It found gold.*']))
  expect(parent.calls).toHaveLength(3)
  const { runs } = await kit.runtime.runs.list({ source: 'background' })
  expect(runs).toHaveLength(1)
})
