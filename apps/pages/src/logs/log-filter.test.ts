import type { JournalEvent, JsonObject } from '@homeward/contract/agent-platform'
import { describe, expect, it } from 'vitest'
import { describeEvent } from './describe-event.ts'
import { isProblem, isShown, readLogFilter, toLogSearch, typesOf } from './log-filter.ts'

const event = (type: string, data: JsonObject = {}): JournalEvent => ({
  seq: 1,
  type,
  timestamp: '2026-01-01T00:00:00.000Z',
  data,
})

describe('the filter of the logs', () => {
  it('A14: stands for a kind, a family of kinds, or a kind that is not known yet', () => {
    expect(typesOf('')).toBeUndefined()
    expect(typesOf('task.failed')).toEqual(['task.failed'])
    expect(typesOf('approval')).toEqual(['approval.requested', 'approval.resolved'])
    expect(typesOf('later.thing')).toEqual(['later.thing'])
  })

  it('comes out of the address as it went in', () => {
    const filter = { type: 'task', runId: 'r 1', agentId: 'a&b', onlyProblems: true }
    expect(readLogFilter(new URLSearchParams(toLogSearch(filter)))).toEqual(filter)
    expect(toLogSearch(readLogFilter(new URLSearchParams()))).toEqual({})
  })

  it('knows what went wrong', () => {
    expect(isProblem(event('task.failed'))).toBe(true)
    expect(isProblem(event('tool.completed', { ok: false }))).toBe(true)
    expect(isProblem(event('agent.completed', { error: 'no' }))).toBe(true)
    expect(isProblem(event('tool.completed', { ok: true }))).toBe(false)
    const filter = { type: '', runId: '', agentId: 'a', onlyProblems: true }
    expect(isShown(event('task.failed', { agent_id: 'a' }), filter)).toBe(true)
    expect(isShown(event('task.failed', { agent_id: 'b' }), filter)).toBe(false)
    expect(isShown(event('task.created', { agent_id: 'a' }), filter)).toBe(false)
  })
})

describe('describeEvent', () => {
  it('is a sentence with the counts that are not 0', () => {
    const data = { turns: 2, status: 'completed', agent_id: 'demo', tool_calls: 0 }
    const tokens = { input_tokens: 30, output_tokens: 12 }
    expect(describeEvent(event('agent.completed', { ...data, ...tokens }), () => 'Demo')).toBe(
      'Demo finished · 42 tokens',
    )
    const failed = { channel: 'channel_a', message: 'No network' }
    expect(describeEvent(event('channel.failed', failed))).toBe('Answer not sent on Telegram: No network')
  })

  it('lists the fields of a kind that is not known yet', () => {
    expect(describeEvent(event('later.thing', { some_count: 2 }))).toBe('some count 2')
  })

  it('stays one bearable line, whatever the event holds', () => {
    const line = describeEvent(
      event('tool.called', { args: { text: 'x'.repeat(100_000) }, tool: 'y'.repeat(1000) }),
    )
    expect(line.length).toBeLessThanOrEqual(300)
  })
})
