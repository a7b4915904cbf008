import type { NodeResult, RunEvent } from '@homeward/contract/agent-platform'
import { describe, expect, it } from 'vitest'
import { addRunEvent, newGraphRun, stateOf, withoutDecided } from './graph-run-state.ts'

const after = (...events: RunEvent[]) => events.reduce(addRunEvent, newGraphRun)

const start: RunEvent = { event: 'start', data: { run_id: 'r', graph_id: 'g' } }
const begins = (id: string, attempt = 1): RunEvent => ({
  event: 'node_start',
  data: { node_id: id, agent_id: 'a', run_id: `${id}-${attempt}`, attempt },
})
const ends = (id: string, status: NodeResult['status'], error?: string): RunEvent => ({
  event: 'node_done',
  data: {
    node_id: id,
    agent_id: 'a',
    success: status === 'completed',
    status,
    output: '',
    attempts: status === 'skipped' ? 0 : 1,
    ...(status !== 'skipped' && { run_id: `${id}-1` }),
    ...(error !== undefined && { error }),
  },
})

describe('addRunEvent', () => {
  it('A10: follows each node from its start to its end', () => {
    expect(after(start).runId).toBe('r')
    expect(after(start, begins('x')).nodes['x']).toEqual({ status: 'running', runId: 'x-1', attempt: 1 })
    const failed = after(start, begins('x'), ends('x', 'failed', 'no key'), ends('y', 'skipped'))
    expect(failed.nodes['x']).toMatchObject({ status: 'failed', result: { error: 'no key' } })
    expect(failed.nodes['y']).toMatchObject({ status: 'skipped', attempt: 0 })
    expect(stateOf(failed, 'constructor')).toEqual({ status: 'pending', attempt: 0 })
  })

  it('A10: shows a node that is tried again as running', () => {
    expect(after(start, begins('x'), begins('x', 2)).nodes['x']).toMatchObject({
      status: 'running',
      attempt: 2,
      runId: 'x-2',
    })
  })

  it('A20: shows which node waits for a person, and keeps the run that the decision is sent to', () => {
    const approval: RunEvent = { event: 'approval', data: { id: 'p', tool: 't', args: {}, run_id: 'x-1' } }
    const waiting = after(start, begins('x'), begins('y'), approval)
    expect(waiting.nodes).toMatchObject({ x: { status: 'waiting' }, y: { status: 'running' } })
    expect(waiting.approvals).toEqual([{ id: 'p', runId: 'x-1', tool: 't', args: {}, nodeId: 'x' }])
    expect(after(start, begins('x'), approval, ends('x', 'completed')).nodes['x']?.status).toBe('completed')
    const below: RunEvent = { event: 'approval', data: { id: 'p', tool: 't', args: {}, run_id: 'other' } }
    expect(after(start, begins('x'), below).approvals[0]?.nodeId).toBeUndefined()
  })

  it('A20: shows a node as running again once all that it asked has been decided', () => {
    const asks = (id: string, runId = 'x-1'): RunEvent => ({
      event: 'approval',
      data: { id, tool: 't', args: {}, run_id: runId },
    })
    const waiting = after(start, begins('x'), asks('p'), asks('q'), asks('r', 'below'))
    const one = withoutDecided(waiting, new Set(['p']))
    expect(one.nodes['x']?.status).toBe('waiting')
    expect(one.approvals.map(({ id }) => id)).toEqual(['q', 'r'])
    const both = withoutDecided(waiting, new Set(['p', 'q']))
    expect(both.nodes['x']?.status).toBe('running')
    expect(withoutDecided(addRunEvent(waiting, ends('x', 'failed')), new Set()).approvals).toMatchObject([
      { id: 'r' },
    ])
  })

  it('A10: tells a run that was cancelled from one that failed', () => {
    const error = (code: string): RunEvent => ({ event: 'error', data: { message: 'why', code } })
    expect(after(start, error('cancelled'))).toMatchObject({ status: 'cancelled', error: 'why' })
    expect(after(start, error('run_error'))).toMatchObject({ status: 'failed', error: 'why' })
  })
})
