import { describe, expect, it, vi } from 'vitest'
import type { ChannelErrorCode } from '../../ports/channel.ts'
import { ChannelError } from '../channel-error.ts'
import { nextStep, toSendError } from './next-step.ts'

const part = { text: '*hi*', plain: 'hi', state: 'sending', isPlain: false } as const
const middle = { mayRepeat: false, random: () => 0 }
const failed = (code: ChannelErrorCode, retryAfterMs?: number) =>
  new ChannelError(code, 'No.', retryAfterMs === undefined ? {} : { retryAfterMs })

describe('A1: what becomes of a send that failed', () => {
  it('waits from 1 s on, doubled each time up to a minute, and gives up after the sixth try', () => {
    const steps = Array.from({ length: 7 }, (_, tries) => nextStep(failed('temporary'), part, tries, middle))
    expect(steps).toEqual([
      ...[1000, 2000, 4000, 8000, 16_000, 32_000].map((afterMs) => ({ kind: 'later', afterMs })),
      { kind: 'ended', status: 'failed' },
    ])
  })

  it('spreads the waits, so that answers do not come back together', () => {
    const random = { ...middle, random: () => 1 }
    expect(nextStep(failed('temporary'), part, 0, random)).toEqual({ kind: 'later', afterMs: 1500 })
    expect(nextStep(failed('temporary'), part, 5, random)).toEqual({ kind: 'later', afterMs: 48_000 })
    // also those that wait for as long as the platform said, or for the longest time there is
    expect(nextStep(failed('rate_limited', 8000), part, 0, random)).toEqual({
      kind: 'later',
      afterMs: 10_000,
    })
    expect(nextStep(failed('rate_limited'), part, 0, random)).toEqual({ kind: 'later', afterMs: 75_000 })
    expect(nextStep(failed('temporary', 60_000), part, 0, random)).toEqual({ kind: 'later', afterMs: 75_000 })
    // a quarter of an hour more would help nobody
    const long = nextStep(failed('rate_limited', 3_600_000), part, 0, random)
    expect(long).toEqual({ kind: 'later', afterMs: 3_630_000 })
  })

  it('waits as long as a platform says, for an hour at the most: asked sooner, it would want more', () => {
    for (const [code, tries] of [
      ['rate_limited', 0],
      ['rate_limited', 2],
      ['temporary', 0],
    ] as const) {
      for (const saidMs of [7000, 61_000, 3_600_000]) {
        expect(nextStep(failed(code, saidMs), part, tries, middle)).toEqual({
          kind: 'later',
          afterMs: saidMs,
        })
      }
    }
    expect(nextStep(failed('rate_limited', 3_600_001), part, 0, middle)).toEqual({
      kind: 'ended',
      status: 'failed',
    })
    expect(nextStep(failed('temporary', 1e12), part, 0, middle)).toEqual({
      kind: 'later',
      afterMs: 3_600_000,
    })
  })

  it('takes three refusals with a time, and one without', () => {
    const given = [0, 1, 2, 3].map((tries) => nextStep(failed('rate_limited', 1), part, tries, middle).kind)
    expect(given).toEqual(['later', 'later', 'later', 'ended'])
    const silent = [0, 1].map((tries) => nextStep(failed('rate_limited'), part, tries, middle))
    expect(silent).toEqual([
      { kind: 'later', afterMs: 60_000 },
      { kind: 'ended', status: 'failed' },
    ])
  })

  it('sends again what may have arrived only where a repeat is safe', () => {
    expect(nextStep(failed('uncertain'), part, 0, middle)).toEqual({ kind: 'ended', status: 'uncertain' })
    const safe = { ...middle, mayRepeat: true }
    expect(nextStep(failed('uncertain'), part, 0, safe)).toEqual({ kind: 'later', afterMs: 1000 })
    expect(nextStep(failed('uncertain'), part, 6, safe)).toEqual({ kind: 'ended', status: 'uncertain' })
  })

  it('leaves the format out once, when it is refused', () => {
    expect(nextStep(failed('format'), part, 0, middle)).toEqual({ kind: 'plain' })
    const ended = { kind: 'ended', status: 'failed' }
    expect(nextStep(failed('format'), { ...part, isPlain: true }, 0, middle)).toEqual(ended)
    expect(nextStep(failed('format'), { ...part, text: 'hi' }, 0, middle)).toEqual(ended)
  })

  it('does not know of any other error whether the message arrived', () => {
    const cause = new Error('socket of secret-token')
    const error = toSendError(cause)
    expect([error.code, error.cause]).toEqual(['uncertain', cause])
    expect(error.message).toMatch(/may or may not have arrived(?!.*secret)/)
    const known = failed('rate_limited')
    expect(toSendError(known)).toBe(known)
  })

  it('heeds an error of another installed copy of the package as one of its own', async () => {
    vi.resetModules()
    const other = await import('../channel-error.ts')
    const error = new other.ChannelError('gone', 'The chat is gone.')
    expect(error).not.toBeInstanceOf(ChannelError)
    expect(toSendError(error)).toBe(error)
    expect([ChannelError.is(error), ChannelError.is(new Error('gone')), ChannelError.is(null)]).toEqual([
      true,
      false,
      false,
    ])
  })
})
