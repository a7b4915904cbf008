import { expect, it } from 'vitest'
import { isDeeperThan } from './parse-input.ts'

const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)

it.each([
  [nested(3), false],
  [nested(4), true],
  ['{"a":{"b":[1]}}', false],
  ['{"a":{"b":[{}]}}', true],
  ['[[],[],[],[],[]]', false],
  ['["[[[[[[", "\\"[[[[", "\\\\"]', false],
  ['["\\\\", [[[[]]]]]', true],
])('tells whether %s is deeper than three', (text, expected) => {
  expect(isDeeperThan(text, 3)).toBe(expected)
})

it('takes a time that grows with the length, whatever the text', () => {
  const startedMs = performance.now()
  for (const text of ['"\\"'.repeat(1_000_000), '"'.repeat(3_000_000), nested(1_000_000)])
    isDeeperThan(text, 1e9)
  expect(performance.now() - startedMs).toBeLessThan(5000)
})
