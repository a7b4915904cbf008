import type { Task } from '@homeward/contract/agent-platform'
import { describe, expect, it } from 'vitest'
import { patchTasks } from './task-follower.ts'

const task = (id: number, status: Task['status'] = 'queued'): Task => ({
  id: `t${id}`,
  agent_id: id % 2 === 0 ? 'even' : 'odd',
  input: '',
  status,
  created_at: `2026-01-01T00:00:${String(id).padStart(2, '0')}.000Z`,
  updated_at: '',
  priority: 0,
  attempt: 0,
  max_attempts: 3,
})
const ids = (tasks: readonly Task[]) => tasks.map(({ id }) => id)

describe('patchTasks', () => {
  const tasks = [task(30), task(20), task(10)]

  it('A7: puts a new task first, and changes those that are there', () => {
    const patched = patchTasks({ tasks, hasMore: true }, [task(40), task(20, 'running')], {})
    expect(ids(patched)).toEqual(['t40', 't30', 't20', 't10'])
    expect(patched[2]?.status).toBe('running')
  })

  it('takes away what fits the filter no more, and puts in what fits now', () => {
    const rows = { tasks, hasMore: false }
    expect(ids(patchTasks(rows, [task(20, 'failed')], { status: 'queued' }))).toEqual(['t30', 't10'])
    expect(ids(patchTasks({ tasks: [], hasMore: false }, [task(5, 'failed')], { status: 'failed' }))).toEqual(
      ['t5'],
    )
    expect(ids(patchTasks(rows, [task(41)], { agentId: 'even' }))).toEqual(['t30', 't20', 't10'])
  })

  it('leaves to the next pages what is older than all that was read', () => {
    expect(ids(patchTasks({ tasks, hasMore: true }, [task(5)], {}))).toEqual(['t30', 't20', 't10'])
    expect(ids(patchTasks({ tasks, hasMore: false }, [task(5)], {}))).toEqual(['t30', 't20', 't10', 't5'])
  })
})
