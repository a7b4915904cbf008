import { expect, it } from 'vitest'
import {
  positiveNumber,
  createNumberCheck,
  createStringCheck,
  numberBetween,
  numberFrom,
  timerFrom,
  integerFrom,
} from './check-options.ts'

const toError = (attempt: string, fault: string) => new TypeError(`${attempt} failed: ${fault}.`)
const checkNumbers = createNumberCheck(toError)
const checkTexts = createStringCheck(toError)

it.each([
  [integerFrom(1), [1, 7], [0, 1.5, Infinity, Number.NaN]],
  [numberFrom(0), [0, 0.5, Infinity], [-1, Number.NaN]],
  [numberBetween(1, 2), [1, 1.5, 2], [0.9, 2.1, Number.NaN]],
  [positiveNumber(), [0.1, Infinity], [0, -1, Number.NaN]],
  [positiveNumber(9), [9], [10, 0]],
  [timerFrom(0), [0, 2_147_483_647], [2_147_483_648, -1, Number.NaN]],
])('takes %o for numbers that keep it only', (rule, good, bad) => {
  for (const value of good) expect(() => checkNumbers('Trying', { value }, rule)).not.toThrow()
  for (const value of [...bad, '7' as unknown as number]) {
    const got = typeof value === 'string' ? 'string' : value
    const message = `Trying failed: "value" must be ${rule.words}, got ${got}.`
    expect(() => checkNumbers('Trying', { value }, { value: rule })).toThrow(new TypeError(message))
  }
})

it('passes what is not given, and names options by their group', () => {
  expect(() => checkNumbers<{ a?: number }>('Trying', undefined, { a: integerFrom(0) })).not.toThrow()
  expect(() =>
    checkNumbers<{ a?: number | undefined }>('Trying', { a: undefined }, integerFrom(0)),
  ).not.toThrow()
  expect(() => checkNumbers('Trying', { ms: -1 }, { ms: integerFrom(0) }, 'limits')).toThrow(
    '"limits.ms" must be an integer of at least 0, got -1',
  )
})

it('refuses a text that is missing or empty, without saying it', () => {
  expect(() => checkTexts('Trying', { a: 'x' }, ['a'])).not.toThrow()
  for (const options of [{ a: '' }, { a: 7 as unknown as string }, null, undefined]) {
    expect(() => checkTexts<{ a: string }>('Trying', options, ['a'])).toThrow(
      'Trying failed: "a" must be a string that is not empty.',
    )
  }
})
