import { describe, expect, it, vi } from 'vitest'
import { handOver, readHandedOverWork } from './task-draft.ts'
import { noWorkOptions } from './task-draft.ts'

const options = { ...noWorkOptions, userId: 'ada', maxTokens: 900 }

describe('work that is handed over to a new task', () => {
  it('comes back from the history as it was typed', () => {
    const work = { task: 'Typed there', options }
    vi.stubGlobal('history', { state: structuredClone(handOver(work)) })
    expect(readHandedOverWork()).toEqual(work)
  })

  it('is none where the history holds none, or what is not one', () => {
    for (const state of [null, 7, { places: {} }, { work: null }, { work: { task: 7, options } }]) {
      vi.stubGlobal('history', { state })
      expect(readHandedOverWork()).toBeUndefined()
    }
    for (const other of [undefined, {}, { ...options, period: 'year' }, { ...options, maxUsd: '2' }]) {
      vi.stubGlobal('history', { state: { work: { task: 'Typed there', options: other } } })
      expect(readHandedOverWork()).toEqual({ task: 'Typed there', options: noWorkOptions })
    }
  })
})
