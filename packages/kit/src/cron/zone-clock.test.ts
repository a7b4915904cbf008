import { expect, it, vi } from 'vitest'
import { createZoneClocks } from './zone-clock.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs

function clockOf(timezone: string, clocks = createZoneClocks()) {
  const clock = clocks(timezone)
  if (clock === undefined) throw new Error(`There is no zone ${timezone}`)
  return clock
}

const berlin = clockOf('Europe/Berlin')
const spring = Date.UTC(2026, 2, 29, 1)
const autumn = Date.UTC(2026, 9, 25, 1)

it('tells what is added to UTC, to the millisecond at which that changes', () => {
  const hours = [spring - 1, spring, autumn - 1, autumn].map((at) => berlin.offsetAt(at) / hourMs)
  expect(hours).toEqual([1, 2, 2, 1])
  const zones = ['UTC', 'America/New_York', 'Asia/Kathmandu', 'America/St_Johns', 'Pacific/Kiritimati']
  const offsets = zones.map((zone) => clockOf(zone).offsetAt(Date.UTC(2026, 0)) / hourMs)
  expect(offsets).toEqual([0, -5, 5.75, -3.5, 14])
  // local time before there were zones, in seconds
  expect(clockOf('Europe/Amsterdam').offsetAt(Date.UTC(1800, 0))).toBe(((0 * 60 + 17) * 60 + 30) * 1000)
  expect(clockOf('America/New_York').offsetAt(Date.UTC(1800, 0))).toBe(-((4 * 60 + 56) * 60 + 2) * 1000)
})

it('lists changes behind an instant, up to and with another one, in order', () => {
  const [first, second] = [
    { at: spring, before: hourMs, after: 2 * hourMs },
    { at: autumn, before: 2 * hourMs, after: hourMs },
  ]
  expect(berlin.changes(Date.UTC(2026, 0), Date.UTC(2027, 0))).toEqual([first, second])
  expect(berlin.changes(spring - 1, spring)).toEqual([first])
  expect(berlin.changes(spring, autumn - 1)).toEqual([])
  expect(berlin.changes(spring, autumn)).toEqual([second])
  expect(berlin.changes(autumn, spring)).toEqual([])
  expect(clockOf('Asia/Tokyo').changes(0, Date.UTC(2030, 0))).toEqual([])
})

it('sees each change once, also at the very ends of what is read at once', () => {
  // 128 days are read at once, from 1970 on; these clocks were changed just where two such spans meet
  const spanMs = 128 * dayMs
  for (const [timezone, place, before, after] of [
    ['Africa/Tunis', 102, 2, 1],
    ['Europe/Chisinau', 145, 3, 2],
    ['Africa/Algiers', -72, 2, 1],
  ] as const) {
    const clock = clockOf(timezone)
    const at = place * spanMs
    const change = { at, before: before * hourMs, after: after * hourMs }
    expect(clock.changes(at - 9 * dayMs, at + 9 * dayMs), timezone).toEqual([change])
    expect([clock.offsetAt(at - 1), clock.offsetAt(at)], timezone).toEqual([change.before, change.after])
  }
})

it('knows the zones of this system, and keeps a thousand clocks', () => {
  const clocks = createZoneClocks()
  expect(clocks('Europe/Nowhere')).toBeUndefined()
  expect(clocks('')).toBeUndefined()
  const berlin = clocks('Europe/Berlin')
  expect(clocks('Europe/Paris')).not.toBe(berlin)
  expect(clocks('Europe/Berlin')).toBe(berlin)
  // case does not count in names: two to the tenth of one
  const names = Array.from({ length: 999 }, (_, index) =>
    Array.from('antarctica/troll', (letter, bit) =>
      ((index >> bit) & 1) === 1 ? letter.toUpperCase() : letter,
    ).join(''),
  )
  for (const name of names.slice(0, 998)) clocks(name)
  expect(clocks('Europe/Berlin')).toBe(berlin)
  clocks(names[998] ?? '')
  expect(clocks('Europe/Berlin')).not.toBe(berlin)
})

it('asks the system once about each span of time, and keeps the newest ten', () => {
  const format = vi.spyOn(Intl, 'DateTimeFormat')
  const clock = clockOf('Europe/Berlin')
  format.mockClear()
  const spanMs = 128 * dayMs
  const ask = (...places: number[]) => {
    format.mockClear()
    for (const place of places) clock.offsetAt(place * spanMs)
    return format.mock.calls.length
  }
  const ten = Array.from({ length: 10 }, (_, place) => place)
  expect(ask(...ten)).toBe(10)
  expect(ask(...ten)).toBe(0)
  expect(ask(10)).toBe(1)
  expect(ask(...ten.slice(1))).toBe(0)
  expect(ask(0)).toBe(1)
})
