import { longestTimerMs } from './waiting/timers.ts'

/** Rule of an option. */
export interface OptionRule {
  /**
   * Returns the problem of a value as a sentence about `name`, without a full stop, or undefined for a valid value.
   * Never contains the value.
   */
  problem(name: string, value: unknown): string | undefined
  /** Whether the option is required. */
  readonly isRequired?: true
}

/** A rule for each option. A missing rule does not compile. */
export type OptionRules<Options> = { readonly [Name in keyof Options]-?: OptionRule }

/** Creates the error of a package. `attempt`: the action, such as `Opening the database`. `fault`: the problem. */
export type ToOptionError = (attempt: string, fault: string) => Error

/**
 * Checks options against their rules. A name without a rule is rejected, because a misspelled option would silently
 * get its default.
 *
 * @throws the package's error, which names the option and states its rule. The error never contains the value.
 */
export type CheckOptions = <Options extends object>(
  attempt: string,
  options: Options | null | undefined,
  rules: OptionRules<Options>,
) => void

/**
 * Builds {@link CheckOptions} for the errors of a package.
 *
 * @example
 * const checkOptions = createOptionCheck((attempt, fault) => new TypeError(`${attempt} failed: ${fault}.`))
 * checkOptions('Opening the database', options, { path: required(text), busyTimeoutMs: integerFrom(0) })
 */
export function createOptionCheck(toError: ToOptionError): CheckOptions {
  return (attempt, options, rules) => {
    // what has no required option may be left out altogether
    const problem = optionsOf(rules).problem('', options === undefined ? {} : options)
    if (problem !== undefined) throw toError(attempt, problem)
  }
}

/** Makes an option required. */
export const required = (rule: OptionRule): OptionRule => ({
  problem: (name, value) => rule.problem(name, value),
  isRequired: true,
})

/** Creates a rule from words that follow `must`, such as `be a function`. */
export const must = (words: string, is: (value: unknown) => boolean): OptionRule => ({
  problem: (name, value) => (is(value) ? undefined : `"${name}" must ${words}`),
})

/** Checks the options inside an option. */
export const optionsOf = <Options>(rules: OptionRules<Options>): OptionRule => ({
  problem(name, value) {
    const known = Object.entries<OptionRule>(rules)
    const given = isRecord(value) ? value : {}
    const path = (key: string) => (name === '' ? key : `${name}.${key}`)
    const missing = firstProblem(known, ([key, rule]) =>
      rule.isRequired ? rule.problem(path(key), given[key]) : undefined,
    )
    if (missing !== undefined) return missing
    if (!isRecord(value)) return `${name === '' ? 'the options' : `"${name}"`} must be an object`
    const strange = Object.keys(given).find((key) => !Object.hasOwn(rules, key))
    if (strange !== undefined)
      return `"${path(strange.slice(0, 100))}" is unknown. Use ${Object.keys(rules).join(', ')}`
    return firstProblem(known, ([key, rule]) =>
      given[key] === undefined ? undefined : rule.problem(path(key), given[key]),
    )
  },
})

/** Checks for an object whose values all follow one rule. */
export const recordOf = (rule: OptionRule): OptionRule => ({
  problem: (name, value) =>
    isRecord(value)
      ? firstProblem(Object.entries(value), ([key, each]) => rule.problem(`${name}.${key}`, each))
      : `"${name}" must be an object`,
})

function firstProblem<Each>(
  list: readonly Each[],
  problemOf: (each: Each) => string | undefined,
): string | undefined {
  for (const each of list) {
    const problem = problemOf(each)
    if (problem !== undefined) return problem
  }
  return undefined
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const isText = (value: unknown) => typeof value === 'string' && value !== ''

/** Checks for a string that is not empty, as an unset environment variable is. */
export const text: OptionRule = /* @__PURE__ */ must('be a string that is not empty', isText)

/** Checks for a list of strings. */
export const texts: OptionRule = /* @__PURE__ */ must(
  'be a list of strings',
  (value) => Array.isArray(value) && value.every((each) => typeof each === 'string'),
)

/** Checks for the path of a folder. */
export const folderPath: OptionRule = /* @__PURE__ */ must('be the path of a folder', isText)

/** Checks for an object. Another rule checks its fields. */
export const anObject: OptionRule = /* @__PURE__ */ must('be an object', isRecord)

/** Checks for a function. */
export const aFunction: OptionRule = /* @__PURE__ */ must(
  'be a function',
  (value) => typeof value === 'function',
)

/**
 * Checks for a boolean. A string such as `'false'` from an environment variable is rejected, because it would count
 * as true.
 */
export const aBoolean: OptionRule = /* @__PURE__ */ must(
  'be true or false',
  (value) => typeof value === 'boolean',
)

/** Accepts any value, for options that another rule checks or that need no check. */
export const anything: OptionRule = /* @__PURE__ */ must('be anything', () => true)

/** Checks for one of several strings. */
export const oneOf = (words: readonly string[]): OptionRule =>
  must(`be one of ${words.join(', ')}`, (value) => words.some((word) => word === value))

/** Checks for an object with a method of this name; `words` describe the object in the error. */
export const having = (method: string, words: string): OptionRule =>
  must(words, (value) => hasMethod(value, method))

/** Whether a value has a method with this name. */
export const hasMethod = (value: unknown, method: string): boolean =>
  typeof value === 'object' &&
  value !== null &&
  typeof (value as Readonly<Record<string, unknown>>)[method] === 'function'

/**
 * Checks for a number that the given function accepts. `NaN`, the result of a missing variable, is rejected, because
 * a comparison with `NaN` is never true and such a limit would limit nothing.
 */
export const numberRule = (words: string, is: (value: number) => boolean): OptionRule => ({
  problem(name, value) {
    if (typeof value === 'number' && is(value)) return undefined
    return `"${name}" must be ${words}, got ${typeof value === 'number' ? value : typeof value}`
  },
})

/** Checks for an integer of at least a minimum. */
export const integerFrom = (least: number): OptionRule =>
  numberRule(`an integer of at least ${least}`, (value) => Number.isSafeInteger(value) && value >= least)

/** Checks for an integer between two bounds, both included. */
export const integerBetween = (least: number, most: number): OptionRule =>
  numberRule(
    `an integer between ${withCommas(least)} and ${withCommas(most)}`,
    (value) => Number.isSafeInteger(value) && value >= least && value <= most,
  )

const withCommas = (value: number) => String(value).replaceAll(/\B(?=(\d{3})+$)/g, ',')

/** Checks for a number of at least a minimum, which may be `Infinity`. */
export const numberFrom = (least: number): OptionRule =>
  numberRule(`a number of at least ${least}`, (value) => value >= least)

/** Checks for a limit, which may be `Infinity`. */
export const limitNumber: OptionRule = /* @__PURE__ */ numberFrom(0)

/** Checks for a number between two bounds, both included. */
export const numberBetween = (least: number, most: number): OptionRule =>
  numberRule(`a number between ${least} and ${most}`, (value) => value >= least && value <= most)

/** Checks for a number above 0. */
export const positiveNumber = (most = Infinity): OptionRule =>
  numberRule(
    most === Infinity ? 'a number greater than 0' : `a number greater than 0 and at most ${most}`,
    (value) => value > 0 && value <= most,
  )

/** Checks for the milliseconds of a timer, at least `least`. */
export const timerFrom = (least: number): OptionRule =>
  numberRule(
    `a number of milliseconds between ${least} and ${longestTimerMs}`,
    (value) => value >= least && value <= longestTimerMs,
  )
