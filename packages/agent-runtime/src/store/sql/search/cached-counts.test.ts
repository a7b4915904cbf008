import { expect, it } from 'vitest'
import { createCachedCounts } from './cached-counts.ts'

const totals = { texts: 1_000_000, words: 9_000_000, newest: 1_000_000 }

it('keeps the count of a common word until as many texts have come as a tenth of it, or 500', () => {
  const kept = createCachedCounts()
  kept.keep('the', 100_000, totals)
  kept.keep('zebra', 600, totals)
  kept.keep('quagga', 499, totals)
  const after = (added: number) => ({ ...totals, texts: totals.texts + added, newest: totals.newest + added })
  expect(kept.find('the', after(10_000))).toBe(100_000)
  expect(kept.find('the', after(10_001))).toBeUndefined()
  expect(kept.find('zebra', after(500))).toBe(600)
  // 501 more texts with the word would make it twice as common; the memory grew by a two-thousandth of itself.
  expect(kept.find('zebra', after(501))).toBeUndefined()
  expect(kept.find('quagga', totals)).toBeUndefined()
})

it('counts again when texts were deleted, and when as many went as came', () => {
  const kept = createCachedCounts()
  kept.keep('zebra', 600, totals)
  expect(kept.find('zebra', { ...totals, texts: totals.texts - 501 })).toBeUndefined()
  expect(kept.find('zebra', { ...totals, newest: totals.newest + 501 })).toBeUndefined()
  kept.keep('zebra', 1200, { ...totals, newest: totals.newest + 501 })
  expect(kept.find('zebra', { ...totals, newest: totals.newest + 501 })).toBe(1200)
  kept.keep('zebra', 3, totals)
  expect(kept.find('zebra', totals)).toBeUndefined()
})
