import { expect, it } from 'vitest'
import { createJobBatch, type JobSpec } from './create-graphile-queue.ts'

const spec = (jobKey: string, priority = 0): JobSpec => ({ identifier: 'a', payload: {}, jobKey, priority })

/** Adds when told to. */
function createAdder() {
  const batches: { readonly specs: readonly JobSpec[]; readonly added: PromiseWithResolvers<void> }[] = []
  const add = createJobBatch((specs) => {
    const added = Promise.withResolvers<void>()
    batches.push({ specs, added })
    return added.promise
  })
  return { add, batches, keys: () => batches.map(({ specs }) => specs.map(({ jobKey }) => jobKey)) }
}

it('adds what comes while a statement is under way with the next one, in the order of keys', async () => {
  const { add, batches, keys } = createAdder()
  const first = add(spec('x'))
  const others = Promise.all([add(spec('c')), add(spec('a', 1)), add(spec('a', 2))])
  expect(keys()).toEqual([['x']])
  batches[0]?.added.resolve()
  await first
  await Promise.resolve()
  expect(keys()).toEqual([['x'], ['a', 'c']])
  expect(batches[1]?.specs[0]?.priority).toBe(2)
  batches[1]?.added.resolve()
  await others
})

it('tells everyone in a batch that it failed, and goes on with the next', async () => {
  const { add, batches } = createAdder()
  const first = add(spec('x'))
  const second = add(spec('y'))
  batches[0]?.added.reject(new Error('no connection'))
  await expect(first).rejects.toThrow('no connection')
  batches[1]?.added.resolve()
  await expect(second).resolves.toBeUndefined()
})

it('adds 500 at a time', async () => {
  const { add, batches } = createAdder()
  const all = Promise.all(Array.from({ length: 1200 }, (_, index) => add(spec(String(index)))))
  for (let batch = 0; batch < 4; batch += 1) {
    batches[batch]?.added.resolve()
    await new Promise((resolve) => setImmediate(resolve))
  }
  await all
  expect(batches.map(({ specs }) => specs.length)).toEqual([1, 500, 500, 199])
})
