import { newTurn } from '@homeward/contract/runs'
import { expect, it } from 'vitest'
import { groupAnswers } from './answered-question.tsx'

it('puts the answers to one question together, and leaves messages without a run alone', () => {
  const turns = [
    { ...newTurn({ id: 'm0' }), createdAt: '2026-11-29T00:00:00Z' }, // a message of an agent without a question
    newTurn({ runId: 'r1', task: 'Name a color' }),
    newTurn({ runId: 'r2' }),
    newTurn({ id: 'live' }), // a retry whose run has not started yet
    { ...newTurn({ id: 'm1' }), createdAt: '2026-11-29T00:00:00Z' },
    newTurn({ runId: 'r3', task: 'And another one' }),
  ]
  const ids = groupAnswers(turns).map((answers) => answers.map(({ id }) => id))
  expect(ids).toEqual([['m0'], ['r1', 'r2', 'live'], ['m1'], ['r3']])
})
