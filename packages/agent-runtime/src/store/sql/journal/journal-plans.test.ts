import { expect, it } from 'vitest'
import { createPostgresBuilder } from '@homeward/kit/postgres'
import { createJournalPlans } from './journal-plans.ts'

it('A14: leaves what is written between two reads to the next one, and misses nothing', () => {
  const rowOf = (seq: number, type: string) => ({
    seq,
    type,
    timestamp: '2026-01-01T00:00:00.000Z',
    run_id: null,
    data: '{}',
  })
  // Behind the first read of a type somebody writes 2 of that type and 3 of the other.
  const answers = [[{ seq: 1 }], [rowOf(1, 'task.created')], [rowOf(3, 'task.completed')]]
  const types = ['task.created', 'task.completed']
  const plan = createJournalPlans(createPostgresBuilder()).listEvents({ types, since: 0, limit: 10 })
  let step = plan.next([])
  while (step.done !== true) step = plan.next(answers.shift() ?? [])
  expect(answers).toEqual([])
  expect(step.value.map(({ seq }) => seq)).toEqual([1])
})
