import { expect, it } from 'vitest'
import { createTokenBuckets } from './token-buckets.ts'

it('C12: gives a burst, then the rate, and says how long to wait', () => {
  const buckets = createTokenBuckets({ perSecond: 10, burst: 2 })
  expect([0, 0, 0].map((atMs) => buckets.take('a', atMs))).toEqual([0, 0, 100])
  expect([buckets.take('a', 100), buckets.take('a', 100), buckets.take('b', 100)]).toEqual([0, 100, 0])
})

it('C12: a clock that jumps back neither gives nor takes', () => {
  const buckets = createTokenBuckets({ perSecond: 1, burst: 1 })
  expect([buckets.take('a', 5000), buckets.take('a', 0), buckets.take('a', 1000)]).toEqual([0, 1000, 0])
})

it('C12: keeps so many buckets and no more, however many addresses call', () => {
  const buckets = createTokenBuckets({ perSecond: 1, burst: 1, maxKeys: 3 })
  for (let index = 0; index < 1000; index += 1) buckets.take(`address-${index}`, 0)
  // The newest three are empty still; whoever was forgotten starts with a full one.
  expect([999, 998, 997].map((index) => buckets.has(`address-${index}`, 0))).toEqual([false, false, false])
  expect(buckets.has('address-996', 0)).toBe(true)
})
