import { expect, it } from 'vitest'
import { createTestStore } from '../../testing/create-test-store.ts'
import { leaseOf, runOf, waitingStepOf } from '../../testing/conformance-fixtures.ts'
import { createKit } from '../testing/run-kit.ts'

it('A20: lets others have their turn while it looks at very many runs that wait', async () => {
  const store = createTestStore()
  for (let number = 0; number < 220; number += 1) {
    await store.insertRun(runOf(`r${number}`), leaseOf(), [])
    await store.saveRunStep(waitingStepOf(`r${number}`, ['a1']))
  }
  let turns = 0
  let isOver = false
  const takeTurn = () => {
    turns += 1
    if (!isOver) setImmediate(takeTurn)
  }
  setImmediate(takeTurn)
  const { runs } = createKit({ store })
  await runs.recover()
  isOver = true
  expect(turns).toBeGreaterThan(3)
  await runs.close()
})
