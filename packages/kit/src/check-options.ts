import { longestTimerMs } from './waiting/timers.ts'

/** What a number has to be, and how an error says it. */
export interface NumberRule {
  readonly is: (value: number) => boolean
  readonly words: string
}

/** Names of those options that are numbers. */
type NumberNames<Options> = {
  [Name in keyof Options]-?: NonNullable<Options[Name]> extends number ? Name : never
}[keyof Options]

/** A rule for each option that is a number: one without a rule would go unchecked. */
export type NumberRules<Options> = { readonly [Name in NumberNames<Options>]: NumberRule }

/** An integer. */
export const integerFrom = (least: number): NumberRule => ({
  is: (value) => Number.isSafeInteger(value) && value >= least,
  words: `an integer of at least ${least}`,
})

/** A number that may be `Infinity`. */
export const numberFrom = (least: number): NumberRule => ({
  is: (value) => value >= least,
  words: `a number of at least ${least}`,
})

/** A limit, which may be `Infinity`. */
export const limitNumber: NumberRule = /* @__PURE__ */ numberFrom(0)

/** A number between two others, both included. */
export const numberBetween = (least: number, most: number): NumberRule => ({
  is: (value) => value >= least && value <= most,
  words: `a number between ${least} and ${most}`,
})

/** A number above 0. */
export const positiveNumber = (most = Infinity): NumberRule => ({
  is: (value) => value > 0 && value <= most,
  words: most === Infinity ? 'a number greater than 0' : `a number greater than 0 and at most ${most}`,
})

/** Milliseconds for a timer, at least `least` of them. */
export const timerFrom = (least: number): NumberRule => ({
  is: (value) => value >= least && value <= longestTimerMs,
  words: `a number of milliseconds between ${least} and ${longestTimerMs}`,
})

/** Makes the error of a package. `attempt`: what was tried, such as `Opening the database`. `fault`: what is wrong. */
export type ToOptionError = (attempt: string, fault: string) => Error

/**
 * Refuses numbers that cannot work. With `NaN`, which a missing variable gives, no comparison holds, so as a limit it
 * limits nothing. Options that are undefined pass.
 *
 * @param rules one for each number, or one for all.
 * @param group name of the option that holds these options.
 * @throws the package's error, which names the option and says what it must be.
 */
export type CheckNumbers = <Options extends object>(
  attempt: string,
  options: Options | undefined,
  rules: NumberRules<Options> | NumberRule,
  group?: string,
) => void

/**
 * Builds {@link CheckNumbers} for the errors of a package.
 *
 * @example
 * const checkNumbers = createNumberCheck((attempt, fault) => new TypeError(`${attempt} failed: ${fault}.`))
 * checkNumbers('Opening the database', options, { busyTimeoutMs: integerFrom(0) })
 */
export function createNumberCheck(toError: ToOptionError): CheckNumbers {
  return (attempt, options, rules, group) => {
    const one = isRule(rules) ? rules : undefined
    for (const name of Object.keys(one ? (options ?? {}) : rules)) {
      const { is, words } = one ?? (rules as Record<string, NumberRule>)[name]! // its own name
      const value: unknown = options?.[name as keyof typeof options] // a rule has the name of an option
      if (value === undefined || (typeof value === 'number' && is(value))) continue
      const got = typeof value === 'number' ? value : typeof value
      throw toError(attempt, `"${group ? `${group}.` : ''}${name}" must be ${words}, got ${got}`)
    }
  }
}

const isRule = (rules: object): rules is NumberRule => typeof Reflect.get(rules, 'words') === 'string'

/**
 * Refuses texts that are missing or empty, as a variable that nobody set gives them.
 *
 * @throws the package's error, which names the option. It never holds the text.
 */
export type CheckStrings = <Options extends object>(
  attempt: string,
  options: Options | null | undefined,
  names: readonly (keyof Options & string)[],
) => void

/**
 * Builds {@link CheckStrings} for the errors of a package.
 *
 * @example
 * const checkTexts = createStringCheck((attempt, fault) => new TypeError(`${attempt} failed: ${fault}.`))
 * checkTexts('Opening the database', options, ['path'])
 */
export function createStringCheck(toError: ToOptionError): CheckStrings {
  return (attempt, options, names) => {
    for (const name of names) {
      const value: unknown = options?.[name]
      if (typeof value === 'string' && value !== '') continue
      throw toError(attempt, `"${name}" must be a string that is not empty`)
    }
  }
}
