import type { Run, TraceStep } from '@homeward/contract/agent-platform'
import { describe, expect, it } from 'vitest'
import { toRange, toRows, usualSpan } from './trace-span.ts'
import { toSpans, type TraceSpan } from './trace-span.ts'

const startMs = Date.UTC(2026, 0, 1)
const at = (ms: number) => new Date(startMs + ms).toISOString()

const run: Run = {
  id: 'r1',
  agent_id: 'writer',
  task: 'x',
  source: 'chat',
  status: 'running',
  created_at: at(0),
  waits: [],
  approvals: [],
}

function stepOf(changes: Partial<TraceStep> & Pick<TraceStep, 'id' | 'type'>): TraceStep {
  return { index: 0, name: changes.id, status: 'completed', attempts: [], ...changes }
}

const model = stepOf({
  id: 'm0.0',
  type: 'model',
  started_at: at(0),
  finished_at: at(100),
  attempts: [
    { model: 'a/first', started_at: at(0), finished_at: at(40), error: '500' },
    { model: 'a/second', started_at: at(50), finished_at: at(100) },
  ],
})
const delegate = stepOf({
  id: 't1.0',
  type: 'tool',
  name: 'run_agent',
  status: 'running',
  input: { agent_id: 'parrot' },
  started_at: at(110),
})
const child: Run = { ...run, id: 'r2', agent_id: 'parrot', created_at: at(120), parent_run_id: 'r1' }
const parts = { run, steps: [model, delegate], children: [child], childSteps: new Map() }

const outline = (spans: readonly TraceSpan[]): unknown[] =>
  spans.map(({ kind, name, children }) => [kind, name, ...outline(children)])

describe('the trace of a run', () => {
  it('has turns with their model call, its failed attempts, tool calls and the runs that they asked for', () => {
    expect(outline(toSpans(parts))).toEqual([
      [
        'turn',
        'Turn 1',
        ['model', 'm0.0', ['attempt', 'Attempt 1 with a/first']],
        ['tool', 'run_agent', ['run', 'parrot']],
      ],
    ])
  })

  it('shows the calls of a program below it, with the runs that they asked for', () => {
    const program = stepOf({ id: 't1.0', type: 'tool', name: 'run_code' })
    const inner = { ...delegate, id: 't1.0.0', parent: 't1.0' }
    expect(outline(toSpans({ ...parts, steps: [model, program, inner] }))).toEqual([
      [
        'turn',
        'Turn 1',
        ['model', 'm0.0', ['attempt', 'Attempt 1 with a/first']],
        ['tool', 'run_code', ['tool', 'run_agent', ['run', 'parrot']]],
      ],
    ])
  })

  it('shows the steps of a run that it asked for once they are read, under ids of their own', () => {
    const spans = toSpans({ ...parts, childSteps: new Map([['r2', [model]]]) })
    const rows = toRows(spans, new Set(['run-r2']))
    expect(rows.map(({ span, level }) => [level, span.id])).toContainEqual([4, 'r2/turn-m0.0'])
    expect(toRows(spans, new Set()).map(({ span }) => span.id)).not.toContain('r2/turn-m0.0')
  })

  it('puts an approval before its call, and chooses what waits for a person', () => {
    const approval = {
      id: 'p',
      run_id: 'r1',
      tool: 'send',
      args: { to: 'Ann' },
      status: 'pending' as const,
      created_at: at(200),
    }
    const call = stepOf({ id: 't1.0', type: 'tool', name: 'send', status: 'waiting', input: { to: 'Ann' } })
    const spans = toSpans({
      ...parts,
      run: { ...run, approvals: [approval] },
      steps: [model, call],
      children: [],
    })
    expect(outline(spans)[0]).toEqual(
      expect.arrayContaining([
        ['approval', 'send'],
        ['tool', 'send'],
      ]),
    )
    expect(usualSpan(toRows(spans, new Set()))?.id).toBe('approval-p')
  })

  it('ends what was never finished with the run, and chooses what failed', () => {
    const ended: Run = { ...run, status: 'failed', finished_at: at(500) }
    const failed = stepOf({ id: 'm0.0', type: 'model', status: 'failed', error: '500', started_at: at(0) })
    const spans = toSpans({ ...parts, run: ended, steps: [failed, delegate], children: [] })
    const rows = toRows(spans, new Set())
    expect(rows.map(({ span }) => span.state)).toEqual(['failed', 'failed', 'unfinished'])
    expect(usualSpan(rows)?.id).toBe('m0.0')
    expect(toRange(ended, rows, startMs + 9_000_000)).toEqual({ startMs, endMs: startMs + 500 })
  })
})
