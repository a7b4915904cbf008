import { expect, it } from 'vitest'
import { timeZones } from '../components/schedule/time-zone-field.tsx'

it('suggests zones by the names that they have today, each once', () => {
  expect(timeZones).toEqual(
    expect.arrayContaining(['UTC', 'Asia/Kolkata', 'Europe/Kyiv', 'Asia/Ho_Chi_Minh', 'America/New_York']),
  )
  expect(timeZones).not.toContain('Asia/Calcutta')
  expect(new Set(timeZones).size).toBe(timeZones.length)
  for (const timeZone of timeZones)
    expect(() => new Intl.DateTimeFormat('en', { timeZone }), timeZone).not.toThrow()
})
