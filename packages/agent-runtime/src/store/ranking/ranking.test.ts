import { describe, expect, it } from 'vitest'
import { rarity, wordScore } from './bm25.ts'
import { fuseRanks } from './fuse-ranks.ts'
import { nearestVectors } from './nearest-vectors.ts'

describe('BM25', () => {
  const corpus = { texts: 100, words: 1000 }

  it('tells more by a rare word, and something by one that is everywhere', () => {
    expect(rarity(corpus, 1)).toBeGreaterThan(rarity(corpus, 50))
    expect(rarity(corpus, 100)).toBeGreaterThan(0)
    // More texts than there are: a count that is a little old.
    expect(rarity(corpus, 120)).toBe(rarity(corpus, 100))
  })

  it('scores more for repeats, less and less, and less in a long text', () => {
    const [none, one, two, three] = [0, 1, 2, 3].map((count) => wordScore(corpus, 1, count, 10))
    expect(none).toBe(0)
    expect(Number(two) - Number(one)).toBeGreaterThan(Number(three) - Number(two))
    expect(wordScore(corpus, 1, 1, 100)).toBeLessThan(Number(one))
  })
})

it('puts first what two rankings agree on', () => {
  const fused = fuseRanks([
    ['a', 'b', 'c'],
    ['d', 'b'],
  ])
  expect(fused.map(({ item }) => item)).toEqual(['b', 'a', 'd', 'c'])
  expect(fused[0]?.score).toBeCloseTo(2 / 62)
})

it('finds the nearest vectors, and none of another length or direction', () => {
  const rows = Object.entries({
    same: [2, 0],
    near: [2, 1],
    across: [0, 1],
    away: [-1, 0],
    long: [1, 0, 0],
    zero: [0, 0],
  })
  const candidates = rows.map(([key, values]) => ({ key, vector: Float32Array.from(values) }))
  const near = nearestVectors(Float32Array.of(1, 0), candidates, 5)
  expect(near.map(({ key }) => key)).toEqual(['same', 'near'])
  expect(near[0]?.nearness).toBeCloseTo(1)
  expect(nearestVectors(Float32Array.of(1, 0), candidates, 1)).toHaveLength(1)
})
