import { describe, expect, it } from 'vitest'
import { createScriptedModel, type ScriptedResponse } from '../testing/scripted-model.ts'
import { startPlatform, ways, type Way } from './testing/start-platform.ts'

const messages = [
  { role: 'user', content: 'My name is Ann.' },
  { role: 'assistant', content: 'Hello Ann.' },
]
const body = { agent_id: 'a', task: 'What is my name?', store: false, messages }

async function startWith(way: Way, steps: readonly ScriptedResponse[]) {
  const model = createScriptedModel(steps)
  const platform = await startPlatform(way, { models: { mine: () => model } })
  await platform.send('POST', '/api/agents', { body: { id: 'a', model: 'mine/any' } })
  const roles = (call: number) => model.calls[call]?.prompt.map(({ role }) => role)
  return Object.assign(platform, { roles })
}

describe.each(ways)('requests with their own history %s', (way) => {
  it('reach the model as the messages before the task, whole and streamed', async () => {
    const answer = { text: 'Ann.' }
    await using platform = await startWith(way, [answer, answer, answer, answer])
    const whole = await platform.send('POST', '/api/agents/run', { body })
    expect(whole.body).toMatchObject({ output: 'Ann.' })
    const events = await platform.send('POST', '/api/agents/run/stream', { body })
    expect(events.text).toContain('"output":"Ann."')
    const ui = await platform.send('POST', '/api/agents/run/stream?format=ui', { body })
    expect(ui.text).toContain('"type":"finish"')
    const { task, ...chat } = body
    const posted = { ...chat, id: 'chat-1', messages: [...messages, { role: 'user', content: task }] }
    const page = await platform.send('POST', '/api/agents/run/stream?format=ui', { body: posted })
    expect(page.text).toContain('"delta":"Ann."')
    for (const call of [0, 1, 2, 3]) {
      expect(platform.roles(call)).toEqual(['system', 'user', 'assistant', 'user'])
    }
    expect((await platform.send('GET', '/api/conversations')).body.conversations).toEqual([])
  })

  it('are rejected together with a conversation, in the library too', async () => {
    await using platform = await startWith(way, [])
    const { status, body: error } = await platform.send('POST', '/api/agents/run', {
      body: { ...body, conversation_id: 'c' },
    })
    expect([status, error.code]).toEqual([400, 'validation_error'])
    expect(error.message).toContain('messages')
    const stored = { agent_id: 'a', task: 'x', messages: [{ role: 'user' as const, content: 'Hi' }] }
    await expect(platform.runtime.run(stored)).rejects.toMatchObject({ code: 'validation_error' })
  })
})
