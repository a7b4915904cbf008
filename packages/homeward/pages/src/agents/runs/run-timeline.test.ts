import type { JournalEvent, Run } from '@homeward/contract/agent-platform'
import { describe, expect, it } from 'vitest'
import { toTimeline } from './run-timeline.ts'
import { toTicks } from './to-ticks.ts'

const startMs = Date.UTC(2026, 0, 1)
const at = (ms: number) => new Date(startMs + ms).toISOString()

let seq = 0
function eventOf(type: string, ms: number, data: JournalEvent['data']): JournalEvent {
  seq += 1
  return { seq, type, timestamp: at(ms), run_id: 'r1', data }
}

const run: Run = {
  id: 'r1',
  agent_id: 'writer',
  task: 'x',
  status: 'running',
  created_at: at(0),
  approvals: [],
}

describe('the timeline of a run', () => {
  it('has a bar for each model call, tool call, approval and run, in the order they began', () => {
    const approval = {
      id: 'p',
      run_id: 'r1',
      tool: 'send',
      args: {},
      status: 'pending' as const,
      created_at: at(900),
    }
    const child: Run = {
      ...run,
      id: 'r2',
      agent_id: 'parrot',
      created_at: at(250),
      finished_at: at(300),
      status: 'failed',
    }
    const events = [
      eventOf('model.completed', 100, {
        model: 'test/echo',
        duration_ms: 80,
        input_tokens: 5,
        output_tokens: 6,
        finish: 'tool-calls',
      }),
      eventOf('tool.called', 110, { tool: 'look', call_id: 'a' }),
      eventOf('tool.completed', 200, { tool: 'look', call_id: 'a', ok: false, error: 'Dark' }),
      eventOf('tool.called', 220, { tool: 'look', call_id: 'a' }),
    ]
    const { spans, endMs } = toTimeline({ ...run, approvals: [approval] }, events, [child], startMs + 1000)
    expect(spans.map(({ kind, name, state }) => [kind, name, state])).toEqual([
      ['model', 'test/echo', 'ok'],
      ['tool', 'look', 'failed'],
      ['tool', 'look', 'running'],
      ['run', 'parrot', 'failed'],
      ['approval', 'send', 'running'],
    ])
    expect(spans[0]).toMatchObject({ startMs: startMs + 20, endMs: startMs + 100, inputTokens: 5 })
    expect(spans[1]).toMatchObject({ startMs: startMs + 110, endMs: startMs + 200, detail: 'Dark' })
    expect(spans[2]?.endMs).toBeUndefined()
    expect(spans[3]?.href).toBe('/runs/r2')
    expect(endMs).toBe(startMs + 1000)
  })

  it('ends what was never finished with the run itself', () => {
    const events = [eventOf('tool.called', 10, { tool: 'look', call_id: 'a' })]
    const ended: Run = { ...run, status: 'cancelled', finished_at: at(500) }
    const timeline = toTimeline(ended, events, [], startMs + 9_000_000)
    expect(timeline).toMatchObject({
      endMs: startMs + 500,
      spans: [{ endMs: startMs + 500, state: 'unfinished' }],
    })
  })

  it('has marks at round times, few of them, however long it is', () => {
    expect(toTicks(3300)).toEqual([0, 1000, 2000, 3000])
    for (const lengthMs of [1, 7, 99, 12_345, 86_400_000, 2_000_000_000]) {
      expect(toTicks(lengthMs).length).toBeGreaterThan(1)
      expect(toTicks(lengthMs).length).toBeLessThanOrEqual(8)
    }
  })
})
