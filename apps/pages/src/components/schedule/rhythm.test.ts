import { describe, expect, it } from 'vitest'
import { describeCron, readRhythm } from './rhythm.ts'

const known = [
  ['*/15 * * * *', 'Every 15 minutes'],
  ['0 * * * *', 'Every hour'],
  ['5 * * * *', 'Every hour at 05 minutes'],
  ['30 6 * * *', 'Every day at 06:30'],
  ['0 9 * * 1-5', 'Every weekday at 09:00'],
  ['0 9 * * 0', 'Every Sunday at 09:00'],
  ['15 18 31 * *', 'Every month on day 31 at 18:15'],
] as const

describe('a cron expression in words', () => {
  it('says the usual rhythms', () => {
    for (const [cron, words] of known) expect(describeCron(cron)).toBe(words)
    expect(readRhythm('30 6 * * *')).toEqual({ kind: 'daily', time: '06:30' })
    expect(describeCron('@daily')).toBe('Every day at 00:00')
    expect(describeCron('0 9 * * 7')).toBe('Every Sunday at 09:00')
  })

  it('leaves others as they are', () => {
    const others = [
      '0 9 1 * 1',
      '0 9 * 2 *',
      '0 9-17 * * *',
      '*/7 * * * *',
      '* * * * * *',
      '0 24 * * *',
      'x',
      '',
    ]
    for (const cron of others) expect(describeCron(cron)).toBe(cron)
  })
})
