import { RuntimeError } from '../ports/runtime-error.ts'

/** What a number has to be, and how an error says it. */
interface NumberRule {
  readonly is: (value: number) => boolean
  readonly words: string
}

/** Names of those options that are numbers. */
type NumberNames<Options> = {
  [Name in keyof Options]-?: NonNullable<Options[Name]> extends number ? Name : never
}[keyof Options]

/** A rule for each option that is a number: one that has none would go unchecked. */
export type NumberRules<Options> = { readonly [Name in NumberNames<Options>]: NumberRule }

export const wholeFrom = (least: number): NumberRule => ({
  is: (value) => Number.isSafeInteger(value) && value >= least,
  words: `a whole number from ${least} on`,
})
/** A bound that may be `Infinity`. */
export const bound: NumberRule = { is: (value) => value >= 0, words: 'a number from 0 on' }

/** What `setTimeout` takes: it makes 1 of anything above. */
export const longestTimerMs = 2_147_483_647
/** Milliseconds that are waited for, `least` of them. */
export const timerFrom = (least: number): NumberRule => ({
  is: (value) => value >= least && value <= longestTimerMs,
  words: `a number of milliseconds from ${least} to ${longestTimerMs}`,
})

/**
 * Refuses numbers that cannot work: of `NaN`, which a missing variable gives, no comparison holds, so as a limit it is
 * none.
 *
 * @param attempt What the error begins with, such as `Creating the runtime`.
 * @param group Name of the option that these options are in, all of them numbers. A name in it that is not known is
 * refused, for it was meant to bound something: `journalDays` instead of `journalMs` would let it grow.
 * @throws {RuntimeError} `validation_error` that names the option and what it must be.
 */
export function checkNumbers<Options extends object>(
  attempt: string,
  options: Options | undefined,
  rules: NumberRules<Options>,
  group?: string,
): void {
  const isObject: boolean = typeof options === 'object' && options !== null
  if (options !== undefined && !isObject) {
    const what = group === undefined ? 'the options must be an object' : `${group} must be an object`
    throw new RuntimeError('validation_error', `${attempt} failed: ${what}.`)
  }
  const known = Object.keys(rules)
  const strange = group && Object.keys(options ?? {}).find((name) => !known.includes(name))
  if (strange !== undefined) {
    const what = `${group}.${strange.slice(0, 100)} is not known, expected ${known.join(', ')}`
    throw new RuntimeError('validation_error', `${attempt} failed: ${what}.`)
  }
  for (const [name, { is, words }] of Object.entries<NumberRule>(rules)) {
    const value: unknown = options?.[name as keyof Options] // a rule has the name of an option
    if (value === undefined || (typeof value === 'number' && is(value))) continue
    const path = group === undefined ? name : `${group}.${name}`
    throw new RuntimeError('validation_error', `${attempt} failed: ${path} must be ${words}.`)
  }
}
