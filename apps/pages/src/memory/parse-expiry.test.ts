import { expect, it } from 'vitest'
import { parseExpiry } from './write-memory-dialog.tsx'

it('takes a time of this place that is still to come, and nothing else that a field can hold', () => {
  const now = new Date(2026, 10, 3, 14, 5).getTime()
  expect(parseExpiry('2026-11-03T14:06', now)).toBe(new Date(2026, 10, 3, 14, 6).toISOString())
  for (const text of ['2026-11-03T14:05', '0026-11-03T14:06', '20266-11-03T14:06', '275760-01-01T00:00', ''])
    expect(parseExpiry(text, now)).toBeUndefined()
})
