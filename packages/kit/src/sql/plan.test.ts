import { expect, it } from 'vitest'
import { restoreTexts, toParameter, toText } from './plan.ts'

const odd = ['a\u0000b', '\u0010', '\u00100\u0000', 'half \ud83d', '\ude00 half', '\u00102d83d', '😀 whole']

it('writes texts that no database keeps in characters that all of them keep, and reads them back', () => {
  for (const text of odd) {
    const kept = toParameter(text)
    expect(String(kept).isWellFormed()).toBe(true)
    expect(kept).not.toContain('\u0000')
    expect(toText(String(kept))).toBe(text)
  }
})

it('leaves everything else as it is', () => {
  expect([toParameter('plain'), toParameter(5), toParameter(null), toText('plain')]).toEqual([
    'plain',
    5,
    null,
    'plain',
  ])
})

it('marks and restores texts in lists and in rows', () => {
  const [kept] = toParameter([odd[0]]) as unknown[]
  const row = { text: kept, count: 1 }
  restoreTexts(row)
  expect(row).toEqual({ text: odd[0], count: 1 })
})
