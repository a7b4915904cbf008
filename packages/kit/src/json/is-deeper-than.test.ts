import { expect, it } from 'vitest'
import { isDeeperThan } from './exact-json.ts'

const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)

it.each([
  ['7', 0, false],
  ['"[[[["', 0, false],
  ['[]', 0, true],
  [nested(3), 3, false],
  [nested(4), 3, true],
  ['{"a":{"b":[1]}}', 3, false],
  ['{"a":{"b":[{}]}}', 3, true],
  ['[[],[],[],[],[]]', 3, false],
])('tells whether %s is deeper than %i', (text, maxDepth, expected) => {
  expect(isDeeperThan(JSON.parse(text), maxDepth)).toBe(expected)
})

it('looks no deeper than it must, at what would overflow a stack or never ends', () => {
  const ring: Record<string, unknown> = {}
  ring['self'] = ring
  expect(isDeeperThan(ring, 100)).toBe(true)
  expect(isDeeperThan(JSON.parse(nested(200_000)), 100)).toBe(true)
})
