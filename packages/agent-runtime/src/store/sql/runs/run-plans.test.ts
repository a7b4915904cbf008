import { expect, it } from 'vitest'
import type { Step } from '@homeward/kit/sql'
import { createPostgresBuilder } from '@homeward/kit/postgres'
import { createPostgresRunWords } from '../../postgres/create-postgres-store.ts'
import type { RuntimeTables } from '../schema.ts'
import { createPostgresChunkPlans } from '../../postgres/chunk-plans.ts'
import { createMemoryPlans } from '../../postgres/memory-plans.ts'
import { createRuntimePlans } from '../runtime-plans.ts'
import { leaseOf, runOf } from '../../../testing/conformance-fixtures.ts'

it('A4: keeps a run when the one that had its key is removed at that moment', () => {
  const builder = createPostgresBuilder<RuntimeTables>()
  const words = {
    ...createPostgresRunWords(builder),
    ...createMemoryPlans(builder, { maxVectors: 9 }),
    ...createPostgresChunkPlans(builder, { maxVectors: 9 }),
  }
  const plan = createRuntimePlans(builder, words).insertRun(
    runOf('new', { idempotencyKey: 'k' }),
    leaseOf(),
    [],
  )
  // Somebody else's transaction ends between the first two: the key is taken, and then there is none that has it.
  const answers = [[0], [], [1]]
  const kinds: Step['kind'][] = []
  let step = plan.next([])
  while (step.done !== true) {
    const { value } = step
    if (value.kind !== 'emit') kinds.push(value.kind)
    step = plan.next(value.kind === 'emit' ? [] : (answers.shift() ?? []))
  }
  expect(kinds).toEqual(['write', 'read', 'write', 'write'])
  expect(step.value).toMatchObject({ created: true, run: { id: 'new' } })
})
