import { expect, it } from 'vitest'
import {
  aBoolean,
  aFunction,
  createOptionCheck,
  having,
  integerBetween,
  integerFrom,
  numberBetween,
  numberFrom,
  oneOf,
  optionsOf,
  positiveNumber,
  recordOf,
  required,
  text,
  texts,
  timerFrom,
  type OptionRule,
} from './check-options.ts'

const checkOptions = createOptionCheck((attempt, fault) => new TypeError(`${attempt} failed: ${fault}.`))
const check = (value: unknown, rule: OptionRule) => checkOptions('Trying', { value }, { value: rule })

it.each<[rule: OptionRule, words: string, good: number[], bad: number[]]>([
  [integerFrom(1), 'an integer of at least 1', [1, 7], [0, 1.5, Infinity, Number.NaN]],
  [integerBetween(1, 2000), 'an integer between 1 and 2,000', [1, 2000], [0, 2001, 1.5, Number.NaN]],
  [numberFrom(0), 'a number of at least 0', [0, 0.5, Infinity], [-1, Number.NaN]],
  [numberBetween(1, 2), 'a number between 1 and 2', [1, 1.5, 2], [0.9, 2.1, Number.NaN]],
  [positiveNumber(), 'a number greater than 0', [0.1, Infinity], [0, -1, Number.NaN]],
  [positiveNumber(9), 'a number greater than 0 and at most 9', [9], [10, 0]],
  [
    timerFrom(0),
    'a number of milliseconds between 0 and 2147483647',
    [0, 2_147_483_647],
    [2_147_483_648, -1, Number.NaN],
  ],
])('takes %o for numbers that keep it only: %s', (rule, words, good, bad) => {
  for (const value of good) expect(() => check(value, rule)).not.toThrow()
  for (const value of [...bad, '7', null]) {
    const got = typeof value === 'number' ? value : typeof value
    expect(() => check(value, rule)).toThrow(
      new TypeError(`Trying failed: "value" must be ${words}, got ${got}.`),
    )
  }
})

it.each<[rule: OptionRule, words: string, good: unknown[], bad: unknown[]]>([
  [text, 'be a string that is not empty', ['x'], ['', 7, null]],
  [texts, 'be a list of strings', [[], ['x']], ['x', [7], null]],
  [aFunction, 'be a function', [() => {}], [{}, null]],
  [aBoolean, 'be true or false', [true, false], ['false', 0]],
  [oneOf(['a', 'b']), 'be one of a, b', ['a'], ['c', null]],
  [having('run', 'have the method run()'), 'have the method run()', [{ run() {} }], [{}, null, 'run']],
])('takes %o for values that keep it only: %s', (rule, words, good, bad) => {
  for (const value of good) expect(() => check(value, rule)).not.toThrow()
  for (const value of bad)
    expect(() => check(value, rule)).toThrow(new TypeError(`Trying failed: "value" must ${words}.`))
})

const rules = {
  path: required(text),
  limits: optionsOf({ ms: integerFrom(0), count: integerFrom(1) }),
  models: recordOf(aFunction),
}

it.each<[given: unknown, fault: string]>([
  [undefined, '"path" must be a string that is not empty'],
  [null, '"path" must be a string that is not empty'],
  [{ pahts: 'secret' }, '"path" must be a string that is not empty'],
  [{ path: 'x', pahts: 'secret' }, '"pahts" is unknown. Use path, limits, models'],
  [{ path: 'x', constructor: 1 }, '"constructor" is unknown. Use path, limits, models'],
  [{ path: 'x', limits: 5 }, '"limits" must be an object'],
  [{ path: 'x', limits: { ms: -1 } }, '"limits.ms" must be an integer of at least 0, got -1'],
  [{ path: 'x', limits: { m: 1 } }, '"limits.m" is unknown. Use ms, count'],
  [{ path: 'x', models: { a: 5 } }, '"models.a" must be a function'],
  [{ path: 'x', models: [] }, '"models" must be an object'],
])('says of %j what is wrong, and holds no value', (given, fault) => {
  expect(() => checkOptions('Trying', given as object, rules as never)).toThrow(
    new TypeError(`Trying failed: ${fault}.`),
  )
})

it('passes what is not given', () => {
  expect(() => checkOptions<{ a?: number }>('Trying', undefined, { a: integerFrom(0) })).not.toThrow()
  expect(() =>
    checkOptions<{ a?: number | undefined }>('Trying', { a: undefined }, { a: integerFrom(0) }),
  ).not.toThrow()
  expect(() => checkOptions<{ a?: number }>('Trying', null, { a: integerFrom(0) })).toThrow(
    'Trying failed: the options must be an object.',
  )
})

it('names what it does not know in no more than a hundred characters', () => {
  expect(() => checkOptions('Trying', { ['a'.repeat(5000)]: 1 }, {})).toThrow(
    `Trying failed: "${'a'.repeat(100)}" is unknown`,
  )
})
