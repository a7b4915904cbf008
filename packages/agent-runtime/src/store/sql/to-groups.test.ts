import { expect, it } from 'vitest'
import { toGroups } from './to-groups.ts'

it('parts ids into groups of 1, 8, 64 or 512, filled up with the last one', () => {
  const ids = (count: number) => Array.from({ length: count }, (_, index) => `r${index}`)
  const sizes = (count: number) => toGroups(ids(count)).map((group) => group.length)
  expect([0, 1, 2, 8, 9, 64, 65, 512, 1100].map(sizes)).toEqual([
    [],
    [1],
    [8],
    [8],
    [64],
    [64],
    [512],
    [512],
    [512, 512, 512],
  ])
  expect(toGroups(['a', 'b', 'c'])).toEqual([['a', 'b', 'c', 'c', 'c', 'c', 'c', 'c']])
  expect([...new Set(toGroups(ids(700)).flat())]).toEqual(ids(700))
})
