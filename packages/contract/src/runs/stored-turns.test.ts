import type { Message, Run } from '../agent-platform/index.ts'
import { describe, expect, it } from 'vitest'
import { storedTurns } from './stored-turns.ts'

let ids = 0
function messageOf(role: Message['role'], content: string, more: Partial<Message> = {}): Message {
  ids += 1
  return { id: `m${ids}`, role, content, created_at: '2026-01-01T00:00:00.000Z', run_id: 'r1', ...more }
}

const messages = [
  messageOf('user', 'Look'),
  messageOf('assistant', 'I look.', { tool_calls: [{ id: 'a', name: 'look', args: { at: 1 } }] }),
  messageOf('tool', '{"error":"Dark"}', { tool_call_id: 'a', tool_name: 'look' }),
  messageOf('assistant', 'It is dark.'),
  messageOf('user', 'Really?', { run_id: 'r2' }),
  messageOf('assistant', 'Yes.', { run_id: 'r2' }),
]

const run: Run = {
  id: 'r1',
  agent_id: 'writer',
  conversation_id: 'c1',
  task: 'Look',
  source: 'chat',
  status: 'failed',
  created_at: '2026-01-01T00:00:00.000Z',
  finished_at: '2026-01-01T00:00:02.000Z',
  waits: [],
  approvals: [
    {
      id: 'p',
      run_id: 'r1',
      tool: 'look',
      args: { at: 1 },
      status: 'approved',
      reason: 'Fine',
      created_at: '2026-01-01T00:00:01.000Z',
    },
  ],
  result: {
    success: false,
    output: '',
    error: 'Too slow',
    code: 'timeout',
    turns: 2,
    tool_calls: 1,
    steps: [{ tool: 'look', args: { at: 1 }, error: 'Dark' }],
    usage: { input_tokens: 3, output_tokens: 4 },
    model: 'test/echo',
    run_id: 'r1',
    conversation_id: 'c1',
    stop_reason: 'error',
  },
}

describe('the turns of a conversation', () => {
  it('are those of its runs, each with what was asked and what came of it', () => {
    expect(storedTurns(messages)).toMatchObject([
      {
        id: 'r1',
        task: 'Look',
        status: 'completed',
        parts: [
          { kind: 'text', text: 'I look.' },
          { kind: 'tool', name: 'look', state: 'done', result: '{"error":"Dark"}' },
          { kind: 'text', text: 'It is dark.' },
        ],
      },
      { id: 'r2', task: 'Really?', parts: [{ text: 'Yes.' }] },
    ])
  })

  it('have answers behind their questions, whatever was asked in between', () => {
    const turns = storedTurns([
      messageOf('user', 'p'),
      messageOf('user', 'q', { run_id: 'r2' }),
      messageOf('assistant', 'Q.', { run_id: 'r2' }),
      messageOf('assistant', 'P.'),
    ])
    expect(turns).toMatchObject([
      { id: 'r1', task: 'p', parts: [{ text: 'P.' }] },
      { id: 'r2', task: 'q', parts: [{ text: 'Q.' }] },
    ])
  })

  it('have the files of the question and of the answer', () => {
    const file = { id: 'f1', name: 'cat.png', media_type: 'image/png', bytes: 3, sha256: '0' }
    const asked = messageOf('user', 'Draw it', { files: [file] })
    const [turn] = storedTurns([asked, messageOf('assistant', 'Here:', { files: [{ ...file, id: 'f2' }] })])
    expect(turn).toMatchObject({
      files: [{ id: 'f1' }],
      parts: [{ kind: 'text' }, { kind: 'file', file: { id: 'f2' } }],
    })
  })

  it('say what their runs know: outcomes, decisions, usage and failures', () => {
    const [turn] = storedTurns(messages, [run])
    expect(turn).toMatchObject({
      status: 'failed',
      failure: { message: 'Too slow', code: 'timeout' },
      usage: { input_tokens: 3, output_tokens: 4 },
    })
    expect(turn?.parts[1]).toMatchObject({
      state: 'failed',
      error: 'Dark',
      decision: { status: 'approved', reason: 'Fine' },
    })
  })

  it('begin with each message of a person, and have its calls', () => {
    const turns = storedTurns([
      messageOf('assistant', 'left over', { run_id: 'r0' }),
      messageOf('user', 'Count'),
      messageOf('assistant', '', { tool_calls: [{ id: '1', name: 'count', args: {} }] }),
      messageOf('tool', '3', { tool_call_id: '1' }),
      messageOf('assistant', 'Three.'),
      messageOf('user', 'More', { run_id: 'r2' }),
    ])
    expect(turns.map(({ task, runId }) => [task, runId])).toEqual([
      [undefined, 'r0'],
      ['Count', 'r1'],
      ['More', 'r2'],
    ])
    expect(turns[1]?.parts).toMatchObject([
      { kind: 'tool', state: 'done', result: '3' },
      { kind: 'text', text: 'Three.' },
    ])
  })

  it('are whole as far as they are on the page, and appended messages stand on their own', () => {
    const rest = storedTurns(messages.slice(2))
    expect(rest[0]).toMatchObject({ id: 'r1', parts: [{ kind: 'tool', name: 'look' }, { kind: 'text' }] })
    expect(rest[0]?.task).toBeUndefined()
    const { run_id: _, ...appended } = messageOf('user', 'By the way')
    const { run_id: __, ...second } = messageOf('user', 'Also')
    expect(storedTurns([appended, second]).map(({ task }) => task)).toEqual(['By the way', 'Also'])
  })
})
