import { describe, expect, it } from 'vitest'
import { createScriptedModel } from '../../testing/scripted-model.ts'
import { openChannelRuntime } from '../testing/channel-runtime.ts'

const call = (channel: string, conversation_id: string, text: string) => ({
  toolCalls: [{ name: 'send_message', args: { channel, conversation_id, text } }],
})

async function open(steps: Parameters<typeof createScriptedModel>[0]) {
  const model = createScriptedModel(steps)
  const kit = await openChannelRuntime({}, { models: { script: () => model } })
  await kit.runtime.agents.update('parrot', { model: 'script/one' })
  for (const id of ['ann', 'bob']) await kit.allow(id)
  return { ...kit, model }
}

const offered = (model: Awaited<ReturnType<typeof open>>['model'], index: number) =>
  model.calls[index]?.tools?.find(({ name }) => name === 'send_message')

describe('A1: send_message', () => {
  it('writes to the chat of the run, before its answer', async () => {
    const { write, texts, until, model } = await open([
      call('test', 'test:of ann', 'Wait.'),
      { text: 'Done.' },
    ])
    await write({ text: 'do it', sender: 'ann', chat: 'of ann' })
    await until(() => expect(texts('of ann').toSorted()).toEqual(['*Done.*', '*Wait.*']))
    expect(offered(model, 0)).toMatchObject({ description: expect.stringContaining('test:of ann') })
  })

  it('writes to a chat of report_to, and to no other', async () => {
    const { runtime, write, texts, until, model } = await open([
      { text: 'Hello Ann.' },
      { text: 'Hello Bob.' },
      call('test', 'of bob', 'psst'),
      call('test', 'of ann', 'News.'),
      { text: 'Done.' },
      { text: 'Nothing.' },
    ])
    await write({ text: 'hi', sender: 'ann', chat: 'of ann' })
    await until(() => expect(texts('of ann')).toHaveLength(1))
    await write({ text: 'hello', sender: 'bob', chat: 'of bob' })
    await until(() => expect(texts('of bob')).toHaveLength(1))
    await runtime.agents.update('parrot', { report_to: [{ channel: 'test', conversation_id: 'of ann' }] })
    const result = await runtime.run({ agent_id: 'parrot', task: 'tell them' })
    expect(result.steps).toMatchObject([
      { tool: 'send_message', error: expect.stringContaining('not allowed to write to this chat') },
      { tool: 'send_message', result: { ok: true, message_id: expect.any(String) } },
    ])
    await until(() => expect(texts('of ann').at(-1)).toBe('*News.*'))
    await runtime.agents.update('parrot', { report_to: null })
    await runtime.run({ agent_id: 'parrot', task: 'tell them again' })
    expect(offered(model, 5)).toBeUndefined()
    expect(texts('of bob')).toEqual(['*Hello Bob.*'])
  })

  it('needs a person once the run has read what a stranger wrote', async () => {
    const { write, allow, runtime, until } = await open([
      call('test', 'test:g', 'Hi all.'),
      { text: 'Done.' },
    ])
    await allow('g1')
    await write({ text: 'say hi', sender: 'eve', group: 'g1', chat: 'g' })
    await until(async () => {
      const [run] = (await runtime.runs.list()).runs
      expect(run?.approvals).toMatchObject([{ tool: 'send_message', status: 'pending' }])
    })
  })
})
