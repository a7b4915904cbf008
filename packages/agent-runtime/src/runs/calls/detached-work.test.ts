import { expect, it } from 'vitest'
import { createDetachedWork } from './detached-work.ts'

it('waits for the newest work only, so that work that never ends does not fill the memory', async () => {
  const detached = createDetachedWork()
  const never = new Promise<never>(() => {})
  detached.add(never)
  const ends = Array.from({ length: 1000 }, () => Promise.withResolvers<void>())
  for (const { promise } of ends) detached.add(promise)
  const settled = detached.settled(2 ** 30)
  for (const { resolve } of ends) resolve()
  await expect(settled).resolves.toBeUndefined()
})
