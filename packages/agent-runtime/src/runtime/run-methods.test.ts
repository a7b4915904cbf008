import { expect, it } from 'vitest'
import { createScriptedModel } from '../testing/scripted-model.ts'
import { createRuntime } from './create-runtime.ts'

async function open(...steps: Parameters<typeof createScriptedModel>[0]) {
  const model = createScriptedModel(steps)
  const runtime = createRuntime({ models: { mine: () => model }, environment: {}, retry: { attempts: 0 } })
  await runtime.agents.create({ id: 'a', model: 'mine/m' })
  return runtime
}
const request = { agent_id: 'a', task: 'x' }

it('gives the text of a run piece by piece, besides its events', async () => {
  await using runtime = await open(
    { text: ['I', ' look. '], toolCalls: [{ name: 'time' }] },
    { text: ['All', ' done.'] },
  )
  const run = await runtime.stream(request)
  const [text, events] = await Promise.all([Array.fromAsync(run.text), Array.fromAsync(run.events)])
  expect(text).toEqual(['I', ' look. ', 'All', ' done.'])
  expect(events.at(-1)?.event).toBe('done')
})

it('ends the text of a run that fails, whose result says why', async () => {
  await using runtime = await open({ error: new Error('offline') })
  const run = await runtime.stream(request)
  expect(await Array.fromAsync(run.text)).toEqual([])
  expect(await run.result).toMatchObject({ success: false, code: 'model_error' })
})

it('ends the text and the events of a run where it waits for people, if it is asked to', async () => {
  await using runtime = await open({ text: 'One moment. ', toolCalls: [{ name: 'time' }] }, { text: 'Done.' })
  await runtime.agents.update('a', { approval_tools: ['time'] })
  const run = await runtime.stream(request, { untilWaiting: true })
  const [text, events] = await Promise.all([Array.fromAsync(run.text), Array.fromAsync(run.events)])
  expect(text).toEqual(['One moment. '])
  expect(events.at(-1)?.event).toBe('approval')
  expect((await run.result).stop_reason).toBe('approval')
})
