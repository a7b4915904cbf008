import { describe, expect, it } from 'vitest'
import type { Guards } from '../ports/guard.ts'
import { createScriptedModel } from '../testing/scripted-model.ts'
import { startPlatform, ways, type Way } from './testing/start-platform.ts'

const guards: Guards = {
  input: ({ text }) => (text.includes('forbidden') ? { refuse: 'the rules' } : 'allow'),
  output: ({ text }) => ({ replace: { text: text.replaceAll('secret', '[hidden]') } }),
}

async function startWith(way: Way) {
  const answer = { text: ['It is a sec', 'ret.'] }
  const model = createScriptedModel(Array.from({ length: 6 }, () => answer))
  const options = { models: { mine: () => model }, guards }
  const platform = await startPlatform(way, options)
  await platform.send('POST', '/api/agents', { body: { id: 'a', model: 'mine/any' } })
  return platform
}

const chat = (content: string, stream: boolean) => ({
  body: { model: 'a', stream, messages: [{ role: 'user', content }] },
})

describe.each(ways)('runs with guards %s', (way) => {
  it('show the answer that the guard left, in every format', async () => {
    await using platform = await startWith(way)
    const { send } = platform
    const body = { agent_id: 'a', task: 'What is it?' }
    const replies = [
      await send('POST', '/api/agents/run', { body }),
      await send('POST', '/api/agents/run/stream', { body }),
      await send('POST', '/api/agents/run/stream?format=ui', { body }),
      await send('POST', '/v1/chat/completions', chat('What is it?', false)),
      await send('POST', '/v1/chat/completions', chat('What is it?', true)),
    ]
    for (const { status, text } of replies) {
      expect(status).toBe(200)
      expect(text).toContain('It is a [hidden].')
      expect(text).not.toMatch(/secret|a sec"/)
    }
  })

  it('fail with a code of their own when the guard refuses', async () => {
    await using platform = await startWith(way)
    const { send } = platform
    const body = { agent_id: 'a', task: 'the forbidden' }
    const whole = await send('POST', '/api/agents/run', { body })
    expect(whole.status).toBe(403)
    expect(whole.body).toMatchObject({ success: false, code: 'guard_refused', stop_reason: 'error' })
    expect(whole.text).toContain('the rules')
    const streamed = await send('POST', '/api/agents/run/stream', { body })
    expect(streamed.text).toContain('"code":"guard_refused"')
    const openai = await send('POST', '/v1/chat/completions', chat('the forbidden', false))
    expect([openai.status, openai.text]).toEqual([403, expect.stringContaining('guard_refused')])
  })
})
