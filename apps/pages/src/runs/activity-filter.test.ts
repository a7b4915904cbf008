import { describe, expect, it } from 'vitest'
import {
  isNarrowed,
  nextSort,
  noActivityFilter,
  rangeOf,
  toRunQuery,
  toTableSort,
} from './activity-filter.ts'

const nowMs = Date.UTC(2026, 10, 20, 12)

describe('the filter of the activity', () => {
  it('asks for nothing in particular when it is empty', () => {
    expect(toRunQuery(noActivityFilter, nowMs)).toEqual({})
    expect(isNarrowed(noActivityFilter)).toBe(false)
    expect(isNarrowed({ ...noActivityFilter, sort: '-cost' })).toBe(false)
  })

  it('turns a range into a time, and takes a time from a link', () => {
    const week = { ...noActivityFilter, range: 'week' }
    expect(toRunQuery(week, nowMs)).toEqual({ from: '2026-11-13T12:00:00.000Z' })
    const linked = { ...noActivityFilter, from: '2026-11-01T00:00:00Z', to: '2026-11-02T00:00:00Z' }
    expect(rangeOf(linked)).toBe('custom')
    expect(toRunQuery(linked, nowMs)).toEqual({
      from: '2026-11-01T00:00:00.000Z',
      to: '2026-11-02T00:00:00.000Z',
    })
  })

  it('asks for one source', () => {
    const chat = { ...noActivityFilter, source: 'chat' }
    expect(toRunQuery(chat, nowMs)).toEqual({ source: 'chat' })
    expect(isNarrowed(chat)).toBe(true)
  })

  it('leaves out what the API would reject', () => {
    const odd = {
      ...noActivityFilter,
      status: 'lost',
      source: 'mail',
      sort: 'name',
      min_cost: 'much',
      from: 'then',
      q: ' ',
    }
    expect(toRunQuery(odd, nowMs)).toEqual({})
  })

  it('sorts by the header that was pressed, and back', () => {
    expect(nextSort('-created_at', 'cost')).toBe('-cost')
    expect(nextSort('-cost', 'cost')).toBe('-created_at')
    expect(nextSort('-created_at', 'time')).toBe('created_at')
    expect(nextSort('created_at', 'time')).toBe('-created_at')
    expect(toTableSort('-duration')).toEqual({ column: 'duration', direction: 'descending' })
    expect(toTableSort('created_at')).toEqual({ column: 'time', direction: 'ascending' })
  })
})

it('finds the word that is still being written by its beginning', () => {
  const qOf = (q: string) => toRunQuery({ ...noActivityFilter, q }, nowMs).q
  expect(qOf(' mail of custom')).toBe('mail of custom*')
  expect(qOf('customer ')).toBe('customer')
  expect(qOf('"mail"')).toBe('"mail"')
  expect(qOf('x'.repeat(600))).toHaveLength(500)
})
