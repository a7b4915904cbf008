import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { RunEvent } from '../agent-platform/stream.ts'
import { foldRun } from './fold-run.ts'
import type { FollowedRunEvent } from './follow-run.ts'
import { closeApproval, isTurnOver, newTurn, waitingApprovals, textOf } from './turn.ts'

const turnOf = (...events: readonly FollowedRunEvent[]) =>
  events.reduce(foldRun, newTurn({ id: 'key', task: 'Do it' }))

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
    expect(foldRun(waiting, say('Hello'))).not.toHaveProperty('retry')
  })

  it('keeps reasoning apart from the answer', () => {
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
  })

  it('shows text, calls and text in the order they came', () => {
    const turn = turnOf(start, say('First. '), call('a', 'x'), answer('a', '1'), say('Then.'), done('Then.'))
    expect(turn).toMatchObject({
      id: 'r1',
      status: 'completed',
      usage,
      parts: [
        { kind: 'text', text: 'First. ' },
        { kind: 'tool', callId: 'a', state: 'done', result: '1' },
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
    expect(ended.parts[1]).toMatchObject({ state: 'done', progress: undefined })
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
      { args: 'x', state: 'done', result: '1' },
      { args: 'y', state: 'done', result: '2' },
      { args: 'z', state: 'running' },
    ])
  })

  const asked = (id: string, tool = 'send', run_id?: string): RunEvent => {
    return { event: 'approval', data: { id, tool, args: {}, ...(run_id && { run_id }) } }
  }
  const begin = (name: string, id = 'a'): RunEvent => ({ event: 'tool_start', data: { id, name, args: 'x' } })

  it('waits for a person once, and continues when a call that waited begins, or text arrives', () => {
    const waiting = turnOf(start, asked('p'), asked('p'), asked('q'))
    expect(waiting.status).toBe('waiting')
    expect(waitingApprovals(waiting)).toMatchObject([
      { kind: 'approval', id: 'p', runId: 'r1' },
      { id: 'q', runId: 'r1' },
    ])
    for (const event of [begin('send'), say('Sent.'), answer('b', '1')]) {
      const next = foldRun(
        waiting,
        event.event === 'tool_call' ? { ...event, data: { ...event.data, name: 'send' } } : event,
      )
      expect(next.status).toBe('running')
      expect(waitingApprovals(next)).toEqual([])
      expect(next.parts.slice(0, 2)).toMatchObject([{ kind: 'approval' }, { kind: 'approval' }])
    }
    const other = turnOf(start, begin('look'), asked('p'), answer('a', '1'))
    expect(other.status).toBe('waiting')
    expect(waitingApprovals(other)).toHaveLength(1)
  })

  it('waits for a person of a run that it started, until the call of that run has ended', () => {
    const waiting = turnOf(start, begin('run_agent'), begin('look', 'b'), asked('q', 'send', 'r2'))
    expect(waitingApprovals(waiting)).toMatchObject([{ runId: 'r2' }])
    const half = foldRun(waiting, answer('b', '1'))
    expect(half.status).toBe('waiting')
    expect(foldRun(half, answer('a', '1')).status).toBe('running')
  })

  it('waits no more for what was decided here, before events tell of it', () => {
    const waiting = turnOf(start, asked('p'), asked('q'))
    const first = closeApproval(waiting, 'p')
    expect(waitingApprovals(first).map(({ id }) => id)).toEqual(['q'])
    expect(first.status).toBe('waiting')
    expect(closeApproval(first, 'q').status).toBe('running')
    expect(closeApproval(first, 'unknown')).toEqual(first)
  })

  it('is empty after a restart, with its task and its ids', () => {
    const before = turnOf(start, { event: 'usage', data: usage }, say('It is gre'), asked('p'))
    const restarted = foldRun(before, { event: 'restart' })
    expect(restarted).toMatchObject({ id: 'r1', runId: 'r1', conversationId: 'c1', task: 'Do it', parts: [] })
    expect(restarted.status).toBe('running')
    expect(restarted.usage).toBeUndefined()
    expect(foldRun(before, { event: 'connection', isConnected: false })).toEqual(before)
  })

  it('does not repeat an answer that stands before an approval', () => {
    const turn = turnOf(start, say('Done.'), asked('p'), done('Done.'))
    expect(textOf(turn)).toBe('Done.')
    expect(waitingApprovals(turn)).toEqual([])
  })

  it('says its whole answer at the end where no piece of it came', () => {
    expect(textOf(turnOf(start, done('All of it')))).toBe('All of it')
    expect(textOf(turnOf(start, say('All of it'), done('All of it')))).toBe('All of it')
  })

  it('tells a run that was stopped from one that failed', () => {
    const error = (code: string): RunEvent => ({ event: 'error', data: { message: 'No', code } })
    expect(turnOf(start, error('cancelled')).status).toBe('cancelled')
    expect(turnOf(start, done('', 'cancelled')).status).toBe('cancelled')
    expect(
      [turnOf(start), turnOf(start, asked('p')), turnOf(start, error('cancelled'))].map(isTurnOver),
    ).toEqual([false, false, true])
    expect(turnOf(start, error('model_error'))).toMatchObject({
      status: 'failed',
      failure: { message: 'No', code: 'model_error' },
    })
  })
})
