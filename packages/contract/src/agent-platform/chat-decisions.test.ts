import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { StreamRequest } from './chat-request.ts'

const asked = { id: 'm1', role: 'user', parts: [{ type: 'text', text: 'Pay' }] }
const call = (state: string, approval?: object) => ({
  type: 'dynamic-tool',
  toolName: 'pay',
  toolCallId: 'p1',
  state,
  input: {},
  ...(approval && { approval }),
})
const answer = (...parts: object[]) => ({ id: 'run-1', role: 'assistant', parts })
const yes = call('approval-responded', { id: 'p1', approved: true })
const no = call('approval-responded', { id: 'p2', approved: false, reason: 'x'.repeat(3000) })
const decided = { agent_id: 'a', run_id: 'run-1', decisions: [{ approval_id: 'p1', approved: true }] }
const parse = (rest: object) => z.safeParse(StreamRequest, { agent_id: 'a', id: 'chat', ...rest })

describe('decisions of a chat', () => {
  it('A6, A20: are read of the answer that goes on with them', () => {
    const done = call('output-available', { id: 'p0', approved: true })
    const { data } = parse({ messages: [asked, answer(done, yes, no)], trigger: 'submit-message' })
    expect(data).toEqual({
      ...decided,
      decisions: [
        { approval_id: 'p1', approved: true },
        { approval_id: 'p2', approved: false, reason: 'x'.repeat(2000) },
      ],
    })
  })

  it('A6, A20: are read of an earlier answer if the chat names it', () => {
    const messages = [asked, answer(yes), { ...asked, id: 'm2' }]
    expect(parse({ messages, messageId: 'run-1' }).data).toEqual(decided)
    expect(parse({ messages }).data).toMatchObject({ task: 'Pay', conversation_id: 'chat' })
  })

  it('A6, A20: are read of tools that the agent declares, too', () => {
    expect(parse({ messages: [asked, answer({ ...yes, type: 'tool-pay' })] }).data).toEqual(decided)
  })

  it.each([
    ['a call that still waits', [asked, answer(call('approval-requested', { id: 'p1' }))], {}],
    ['a decision that is none', [asked, answer(call('approval-responded', { id: 'p1', approved: 'x' }))], {}],
    ['a part of another kind', [asked, answer({ ...yes, type: 'data-tool' })], {}],
    ['another attempt', [asked, answer(yes)], { trigger: 'regenerate-message' }],
  ])('A6: a post with %s at its end asks nothing, and is rejected as what it is', (_, messages, rest) => {
    const message = expect.stringContaining('must end with a message of the user')
    expect(parse({ messages, ...rest }).error?.issues).toMatchObject([{ path: ['messages'], message }])
  })

  it('A6: need an agent', () => {
    const { error } = parse({ messages: [asked, answer(yes)], agent_id: undefined })
    expect(error?.issues).toContainEqual(expect.objectContaining({ path: ['agent_id'] }))
  })

  it('A6: cannot be sent in another way', () => {
    expect(z.safeParse(StreamRequest, decided).error?.issues).toMatchObject([{ path: ['task'] }])
  })
})
