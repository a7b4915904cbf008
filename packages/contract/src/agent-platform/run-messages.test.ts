import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { StreamRequest } from './chat-request.ts'
import { RunRequest } from './run.ts'

const messages = [{ role: 'user', content: 'Hi' }]
const request = { agent_id: 'a', task: 'And then?', store: false, messages }
const issuesOf = (given: object) =>
  z.safeParse(RunRequest, given).error?.issues.map(({ path, message }) => [path.join('.'), message])

describe('the history that a request brings', () => {
  it('holds messages of people and assistants, within limits', () => {
    expect(issuesOf({ ...request, messages: [{ role: 'system', content: 'x' }] })?.[0]?.[0]).toBe(
      'messages.0.role',
    )
    expect(issuesOf({ ...request, messages: Array(1001).fill(messages[0]) })).toHaveLength(1)
    const long = { role: 'assistant', content: 'x'.repeat(1_000_001) }
    expect(issuesOf({ ...request, messages: [long, long] })).toEqual([
      ['messages', 'must have at most 2000000 characters in all'],
    ])
  })

  it('A6: is what a chat posts before its last message, if nothing of it is to be stored', () => {
    const part = (text: string) => ({ type: 'text', text })
    const chat = {
      id: 'chat-1',
      trigger: 'regenerate-message',
      agent_id: 'a',
      store: false,
      messages: [
        { id: 'm1', role: 'user', parts: [part('Hi')] },
        { id: 'm2', role: 'assistant', parts: [{ type: 'step-start' }, part('Hello.'), { type: 'tool-x' }] },
        { id: 'm3', role: 'user', parts: [part('And then?')] },
      ],
    }
    expect(z.parse(StreamRequest, chat)).toEqual({
      agent_id: 'a',
      task: 'And then?',
      store: false,
      messages: [
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content: 'Hello.' },
      ],
    })
    expect(z.parse(StreamRequest, { ...chat, conversation_id: 'c' })).not.toHaveProperty('messages')
    const file = { role: 'user', parts: [{ type: 'file', url: 'blob:x' }] }
    const withFile = z.safeParse(StreamRequest, { ...chat, messages: [file, ...chat.messages] })
    expect(withFile.error?.issues).toMatchObject([{ path: ['messages', 0, 'parts', 0, 'url'] }])
    const made = { role: 'assistant', parts: [part('A cat:'), { type: 'file', url: '/api/files/f1' }] }
    expect(z.parse(StreamRequest, { ...chat, messages: [made, ...chat.messages] })).toMatchObject({
      messages: [{ role: 'assistant', content: 'A cat:' }, {}, {}],
    })
  })
})
