import { TaskRequest } from '@homeward/contract/agent-platform'
import { describe, expect, it } from 'vitest'
import { missingIn, newTaskDraft, toTaskRequest } from './task-draft.ts'
import { workerOf, workerOptions } from './task-draft.ts'

const draft = { ...newTaskDraft({ agentId: 'a' }), task: 'Do it' }

describe('a new task', () => {
  it('A7: sends what was said, and nothing else', () => {
    expect(toTaskRequest(draft)).toEqual({ agent_id: 'a', task: 'Do it' })
    const options = { ...draft.options, userId: 'u', idempotencyKey: 'k', metadata: '{"a": 1}', maxUsd: 2 }
    const all = {
      ...draft,
      priority: -5,
      maxAttempts: 1,
      conversationId: 'c',
      limits: { max_turns: 3 },
      options,
    }
    const request = toTaskRequest(all)
    expect(request).toEqual({
      agent_id: 'a',
      task: 'Do it',
      priority: -5,
      max_attempts: 1,
      conversation_id: 'c',
      user_id: 'u',
      limits: { max_turns: 3 },
      idempotency_key: 'k',
      metadata: { a: 1 },
      budget: { max_usd: 2, period: 'run' },
    })
    expect(TaskRequest.safeParse(request).success).toBe(true)
  })

  it('A7: has no conversation and no limits when a graph does it', () => {
    const forGraph = { ...draft, worker: { graphId: 'g' }, conversationId: 'c', limits: { max_turns: 3 } }
    expect(toTaskRequest(forGraph)).toEqual({ graph_id: 'g', task: 'Do it' })
  })

  it('says what is missing, and which metadata cannot be sent', () => {
    expect(Object.keys(missingIn(newTaskDraft({})))).toEqual(['worker', 'task'])
    expect(missingIn(draft)).toEqual({})
    for (const metadata of ['[1]', 'null', '{', '1']) {
      expect(() => toTaskRequest({ ...draft, options: { ...draft.options, metadata } })).toThrow(
        'The metadata is not',
      )
    }
  })

  it('keeps agents and graphs of the same name apart, and one that was deleted', () => {
    const { options, value } = workerOptions([{ id: 'x' }], [{ id: 'x', name: 'Ex' }], { graphId: 'gone' })
    expect(options.map(({ label }) => label)).toEqual(['Agent x', 'Graph Ex (x)', 'gone'])
    expect(workerOf(options[0]?.value ?? '')).toEqual({ agentId: 'x' })
    expect(workerOf(options[1]?.value ?? '')).toEqual({ graphId: 'x' })
    expect(workerOf(value ?? '')).toEqual({ graphId: 'gone' })
    expect(workerOf('all')).toEqual({})
  })
})
