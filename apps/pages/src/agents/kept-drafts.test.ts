import { beforeEach, describe, expect, it, vi } from 'vitest'
import { emptyDraft } from './agent-draft.ts'
import { keepDraft, readKeptDraft } from './kept-drafts.ts'

const stored = new Map<string, string>()

beforeEach(() => {
  stored.clear()
  vi.stubGlobal('sessionStorage', {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => void stored.set(key, value),
    removeItem: (key: string) => void stored.delete(key),
  })
})

const saved = { ...emptyDraft, id: 'a', model: 'test/echo', max_turns: 3 }

describe('a draft that is kept', () => {
  it('comes back with the agent that it was begun with, empty numbers too', () => {
    const kept = { draft: { ...saved, name: 'Mine', max_turns: Number.NaN }, saved }
    keepDraft('a', kept)
    expect(readKeptDraft('a')).toEqual(kept)
    expect(readKeptDraft('b')).toBeUndefined()
  })

  it('is gone once it holds nothing that is not saved', () => {
    keepDraft('a', { draft: { ...saved, name: 'Mine' }, saved })
    keepDraft('a', { draft: saved, saved })
    expect(stored.size).toBe(0)
  })

  it('does not count when it is not one, such as that of another version of the page', () => {
    for (const text of ['', '{', '7', JSON.stringify(saved), JSON.stringify({ draft: saved, saved: {} })]) {
      stored.set('homeward.agent-draft.a', text)
      expect(readKeptDraft('a')).toBeUndefined()
    }
  })
})
