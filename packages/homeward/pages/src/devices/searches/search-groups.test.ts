import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { recallSearchGroup, rememberSearchGroup } from './search-groups.ts'

let kept: Map<string, string>
beforeEach(() => {
  kept = new Map()
  vi.stubGlobal('sessionStorage', {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem(key: string, value: string) {
      if (value.length > 10_000) throw new DOMException('full', 'QuotaExceededError')
      kept.set(key, value)
    },
    removeItem: (key: string) => kept.delete(key),
  })
})
afterEach(() => vi.unstubAllGlobals())

describe('searches that were created together', () => {
  it('are known by each of them', () => {
    rememberSearchGroup(['a', 'b'])
    rememberSearchGroup(['c', 'd'])
    expect(recallSearchGroup('b')).toEqual(new Set(['a', 'b']))
    expect(recallSearchGroup('c')).toEqual(new Set(['c', 'd']))
    expect(recallSearchGroup('e')).toBeUndefined()
  })

  it('are forgotten, the oldest first', () => {
    for (let index = 0; index < 25; index += 1) rememberSearchGroup([`${index}`, `${index}'`])
    expect(recallSearchGroup('4')).toBeUndefined()
    expect(recallSearchGroup('5')).toBeDefined()
  })

  it('are looked for by their time where the tab has no room, or holds something else', () => {
    rememberSearchGroup(Array.from({ length: 3000 }, (_, index) => `search-${index}`))
    expect(recallSearchGroup('search-1')).toBeUndefined()
    kept.set('homeward.search-groups', '{"a": [')
    expect(recallSearchGroup('a')).toBeUndefined()
    kept.set('homeward.search-groups', '[1, {"a": 1}, ["a", "b"]]')
    expect(recallSearchGroup('a')).toEqual(new Set(['a', 'b']))
  })
})
