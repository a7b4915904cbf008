import type { RunEvent } from '@homeward/contract/agent-platform'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { addEvent, keysOf, newTurn, textOf, withReasoningOf } from './turn.ts'

const turnOf = (...events: readonly RunEvent[]) => events.reduce(addEvent, newTurn('key', 'Do it'))

const start: RunEvent = { event: 'start', data: { run_id: 'r1', conversation_id: 'c1', model: 'test/echo' } }
const say = (delta: string): RunEvent => ({ event: 'assistant', data: { delta } })
const call = (id: string, args: string): RunEvent => ({
  event: 'tool_start',
  data: { id, name: 'look', args },
})
const answer = (id: string, result: string): RunEvent => ({
  event: 'tool_call',
  data: { id, name: 'look', result },
})
const usage = { input_tokens: 1, output_tokens: 2 }
const done = (finalContent: string, stop_reason: 'done' | 'cancelled' = 'done'): RunEvent => ({
  event: 'done',
  data: {
    finalContent,
    turnCount: 1,
    success: true,
    output: finalContent,
    turns: 1,
    tool_calls: 0,
    steps: [],
    usage,
    model: 'test/echo',
    run_id: 'r1',
    conversation_id: 'c1',
    stop_reason,
  },
})

describe('a turn', () => {
  it('has the same text however it was cut into pieces', () => {
    fc.assert(
      fc.property(fc.array(fc.string()), (deltas) => {
        const turn = turnOf(start, ...deltas.map(say))
        expect(textOf(turn)).toBe(deltas.join(''))
        expect(turn.parts.length).toBeLessThanOrEqual(1)
      }),
    )
  })

  it('says that the model is called again, until the next event', () => {
    const retry = { model: 'a/b', reason: 'status 503', in_ms: 4000 }
    const waiting = turnOf(start, { event: 'retry', data: retry })
    expect(waiting).toMatchObject({ status: 'running', retry, parts: [] })
    expect(addEvent(waiting, say('Hello'))).not.toHaveProperty('retry')
  })

  it('keeps reasoning apart from the answer, also when it is read from its messages later', () => {
    const think = (delta: string): RunEvent => ({ event: 'reasoning', data: { delta } })
    const source: RunEvent = { event: 'source', data: { url: 'https://a.example/', title: 'A' } }
    const turn = turnOf(start, think('Hm'), think('.'), say('Yes.'), source, think('Sure.'), done('Yes.'))
    expect(turn.parts).toEqual([
      { kind: 'reasoning', text: 'Hm.' },
      { kind: 'text', text: 'Yes.' },
      { kind: 'reasoning', text: 'Sure.' },
    ])
    expect(turn.sources).toEqual([source.data])
    expect(textOf(turn)).toBe('Yes.')
    const kept = { ...turn, parts: turn.parts.filter(({ kind }) => kind === 'text') }
    expect(withReasoningOf(kept, turn)).toEqual(turn)
    expect(withReasoningOf(kept, kept)).toBe(kept)
  })

  it('shows text, calls and text in the order they came', () => {
    const turn = turnOf(start, say('First. '), call('a', 'x'), answer('a', '1'), say('Then.'), done('Then.'))
    expect(turn).toMatchObject({
      id: 'r1',
      status: 'completed',
      usage,
      parts: [
        { kind: 'text', text: 'First. ' },
        { kind: 'tool', callId: 'a', isDone: true, result: '1' },
        { kind: 'text', text: 'Then.' },
      ],
    })
  })

  it('shows what a tool reports while it works, and not once it has ended', () => {
    const report = (id: string, text: string): RunEvent => ({
      event: 'tool_progress',
      data: { id, name: 'look', text },
    })
    const working = [start, call('a', 'x'), call('b', 'x'), report('b', 'half'), report('none', 'lost')]
    expect(turnOf(...working).parts).toMatchObject([{ callId: 'a' }, { callId: 'b', progress: 'half' }])
    expect(turnOf(...working).parts[0]).not.toHaveProperty('progress')
    const ended = turnOf(...working, answer('b', '1'), report('b', 'late'))
    expect(ended.parts[1]).toMatchObject({ isDone: true, progress: undefined })
  })

  it('shows files of the model where they came, and does not repeat the text before them', () => {
    const file = { id: 'f1', name: 'cat.png', media_type: 'image/png', bytes: 3 }
    const turn = turnOf(start, say('A cat:'), { event: 'file', data: file }, done('A cat:'))
    expect(turn.parts).toEqual([
      { kind: 'text', text: 'A cat:' },
      { kind: 'file', file },
    ])
  })

  it('gives each outcome to its call, also where a provider gives the same id again', () => {
    const turn = turnOf(
      start,
      call('a', 'x'),
      answer('a', '1'),
      call('a', 'y'),
      call('b', 'z'),
      answer('a', '2'),
    )
    expect(turn.parts).toMatchObject([
      { args: 'x', isDone: true, result: '1' },
      { args: 'y', isDone: true, result: '2' },
      { args: 'z', isDone: false },
    ])
  })

  it('waits for a person once, and goes on when the next event comes', () => {
    const asked: RunEvent = { event: 'approval', data: { id: 'p', tool: 'send', args: {} } }
    const waiting = turnOf(start, asked, asked)
    expect(waiting).toMatchObject({ status: 'waiting', parts: [{ kind: 'approval', id: 'p', runId: 'r1' }] })
    expect(addEvent(waiting, call('a', 'x')).status).toBe('running')
    const other: RunEvent = { event: 'approval', data: { id: 'q', tool: 'send', args: {}, run_id: 'r2' } }
    expect(turnOf(start, other).parts).toMatchObject([{ runId: 'r2' }])
  })

  it('says its whole answer at the end where no piece of it came', () => {
    expect(textOf(turnOf(start, done('All of it')))).toBe('All of it')
    expect(textOf(turnOf(start, say('All of it'), done('All of it')))).toBe('All of it')
  })

  it('tells a run that was stopped from one that failed', () => {
    const error = (code: string): RunEvent => ({ event: 'error', data: { message: 'No', code } })
    expect(turnOf(start, error('cancelled')).status).toBe('cancelled')
    expect(turnOf(start, done('', 'cancelled')).status).toBe('cancelled')
    expect(turnOf(start, error('model_error'))).toMatchObject({
      status: 'failed',
      failure: { message: 'No', code: 'model_error' },
    })
  })

  it('keeps the key of a call when approvals and reasoning beside it are gone', () => {
    const tool = (callId: string) =>
      ({ kind: 'tool', callId, name: 'look', args: null, isDone: true }) as const
    const approval = { kind: 'approval', id: 'p', runId: 'r1', tool: 'look', args: null } as const
    const live = [{ kind: 'reasoning', text: 'Hm' } as const, approval, tool('a'), tool('a'), tool('b')]
    const stored = [tool('a'), tool('a'), tool('b')]
    expect(keysOf(live).slice(2)).toEqual(keysOf(stored))
    expect(new Set(keysOf(live)).size).toBe(live.length)
  })
})
