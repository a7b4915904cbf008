import type { RunEvent } from '@homeward/contract/agent-platform'
import { foldRun, newTurn, type Turn } from '@homeward/contract/runs'
import { describe, expect, it } from 'vitest'
import { toDetails, toEndLines, toQuestion, toReasoningLine, toToolLine } from './part-lines.ts'

const turnOf = (...events: readonly RunEvent[]): Turn => events.reduce(foldRun, newTurn())
const start: RunEvent = { event: 'start', data: { run_id: 'r', conversation_id: 'c', model: 'm' } }
const toolStart: RunEvent = { event: 'tool_start', data: { id: '1', name: 'count', args: {} } }

describe('the lines below an answer', () => {
  it('hold its warnings, and why it ended early', () => {
    const done = { finalContent: 'All.', success: true, output: 'All.', turns: 1, tool_calls: 0, steps: [] }
    const rest = { turnCount: 1, usage: { input_tokens: 1, output_tokens: 1 }, model: 'm', run_id: 'r' }
    const end: RunEvent = {
      event: 'done',
      data: { ...done, ...rest, conversation_id: 'c', stop_reason: 'max_turns', warnings: ['Old model.'] },
    }
    const turn = turnOf(start, toolStart, end)
    expect(turn.parts.at(-1)).toEqual({ kind: 'text', text: 'All.' })
    expect(toEndLines(turn).map((line) => line.text)).toEqual([
      'Warning: Old model.',
      'Stopped: the agent used all its turns (limits.max_turns).',
    ])
  })

  it('tells a stopped run from a failed one', () => {
    const end = (code: string): RunEvent => ({ event: 'error', data: { message: 'Why\u001b[31m.', code } })
    expect(toEndLines(turnOf(start, end('cancelled')))).toEqual([{ text: 'Stopped.', isError: false }])
    expect(toEndLines(turnOf(start, end('model_error')))).toEqual([{ text: 'Failed: Why.', isError: true }])
  })
})

describe('a line for a tool call', () => {
  const call = { kind: 'tool', callId: '1', name: 'count\u001b]0;x\u0007', args: { text: 'a\nb' } } as const

  it('says what is called and how it ended, without what a terminal acts on', () => {
    expect(toToolLine({ ...call, state: 'running', progress: 'half\u001b[2J' })).toBe(
      String.raw`… count(text: "a\nb") → half`,
    )
    expect(toToolLine({ ...call, args: {}, state: 'done', result: { words: 2 } })).toBe(
      '✓ count() → {"words":2}',
    )
    expect(toToolLine({ ...call, args: null, state: 'failed', error: 'No.\nWhy' })).toBe(
      '✗ count() → No. Why',
    )
  })

  it('asks about a call, and shows its arguments whole', () => {
    const waiting = { tool: 'send', args: { to: 'ann', text: 'Hello' } }
    expect(toQuestion(waiting)).toBe('Approve send(to: "ann", text: "Hello")?')
    expect(toDetails(waiting)).toContain('  "text": "Hello"')
  })

  it('shows the newest of what a model thinks', () => {
    expect(toReasoningLine(`${'old '.repeat(100)}new`, true)).toMatch(/^∴ Thinking: ….*new$/)
    expect(toReasoningLine('First\nthen', false)).toBe('∴ Thought: First then')
  })
})
