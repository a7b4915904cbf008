import { longestTimerMs } from './waiting/timers.ts'

/** What an option has to be. */
export interface OptionRule {
  /** What is wrong with a value, as a sentence about `name` without its stop; undefined if nothing is. Never holds a text. */
  problem(name: string, value: unknown): string | undefined
  /** Whether it cannot be left out. */
  readonly isRequired?: true
}

/** A rule for each option: one that is left out does not compile. */
export type OptionRules<Options> = { readonly [Name in keyof Options]-?: OptionRule }

/** Makes the error of a package. `attempt`: what was tried, such as `Opening the database`. `fault`: what is wrong. */
export type ToOptionError = (attempt: string, fault: string) => Error

/**
 * Checks options by their rules. A name that has no rule is refused: a host without types would get the default of what it
 * meant to set.
 *
 * @throws the package's error, which names the option and says what it must be. It never holds a text.
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

/** An option that cannot be left out. */
export const required = (rule: OptionRule): OptionRule => ({
  problem: (name, value) => rule.problem(name, value),
  isRequired: true,
})

/** A rule in words that follow `must`, such as `be a function`. */
export const must = (words: string, is: (value: unknown) => boolean): OptionRule => ({
  problem: (name, value) => (is(value) ? undefined : `"${name}" must ${words}`),
})

/** Options within an option. */
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

/** An object whose values all keep one rule. */
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

/** A text, as a variable that nobody set does not give it. */
export const text: OptionRule = /* @__PURE__ */ must('be a string that is not empty', isText)

/** A list of texts. */
export const texts: OptionRule = /* @__PURE__ */ must(
  'be a list of strings',
  (value) => Array.isArray(value) && value.every((each) => typeof each === 'string'),
)

/** The path of a folder. */
export const folderPath: OptionRule = /* @__PURE__ */ must('be the path of a folder', isText)

/** An object that another check looks into. */
export const anObject: OptionRule = /* @__PURE__ */ must('be an object', isRecord)

/** A function. */
export const aFunction: OptionRule = /* @__PURE__ */ must(
  'be a function',
  (value) => typeof value === 'function',
)

/** True or false. `'false'`, as a variable of the environment gives it, would switch something on. */
export const aBoolean: OptionRule = /* @__PURE__ */ must(
  'be true or false',
  (value) => typeof value === 'boolean',
)

/** What another rule checks, or nothing does. */
export const anything: OptionRule = /* @__PURE__ */ must('be anything', () => true)

/** One of some words. */
export const oneOf = (words: readonly string[]): OptionRule =>
  must(`be one of ${words.join(', ')}`, (value) => words.some((word) => word === value))

/** An object with a method of that name; `words` say which. */
export const having = (method: string, words: string): OptionRule =>
  must(words, (value) => hasMethod(value, method))

/** Whether a value has a method of that name. */
export const hasMethod = (value: unknown, method: string): boolean =>
  typeof value === 'object' &&
  value !== null &&
  typeof (value as Readonly<Record<string, unknown>>)[method] === 'function'

/**
 * A number that another function accepts. With `NaN`, which a missing variable gives, no comparison holds, so as a limit it
 * limits nothing.
 */
export const numberRule = (words: string, is: (value: number) => boolean): OptionRule => ({
  problem(name, value) {
    if (typeof value === 'number' && is(value)) return undefined
    return `"${name}" must be ${words}, got ${typeof value === 'number' ? value : typeof value}`
  },
})

/** An integer. */
export const integerFrom = (least: number): OptionRule =>
  numberRule(`an integer of at least ${least}`, (value) => Number.isSafeInteger(value) && value >= least)

/** An integer between two others, both included. */
export const integerBetween = (least: number, most: number): OptionRule =>
  numberRule(
    `an integer between ${withCommas(least)} and ${withCommas(most)}`,
    (value) => Number.isSafeInteger(value) && value >= least && value <= most,
  )

const withCommas = (value: number) => String(value).replaceAll(/\B(?=(\d{3})+$)/g, ',')

/** A number that may be `Infinity`. */
export const numberFrom = (least: number): OptionRule =>
  numberRule(`a number of at least ${least}`, (value) => value >= least)

/** A limit, which may be `Infinity`. */
export const limitNumber: OptionRule = /* @__PURE__ */ numberFrom(0)

/** A number between two others, both included. */
export const numberBetween = (least: number, most: number): OptionRule =>
  numberRule(`a number between ${least} and ${most}`, (value) => value >= least && value <= most)

/** A number above 0. */
export const positiveNumber = (most = Infinity): OptionRule =>
  numberRule(
    most === Infinity ? 'a number greater than 0' : `a number greater than 0 and at most ${most}`,
    (value) => value > 0 && value <= most,
  )

/** Milliseconds for a timer, at least `least` of them. */
export const timerFrom = (least: number): OptionRule =>
  numberRule(
    `a number of milliseconds between ${least} and ${longestTimerMs}`,
    (value) => value >= least && value <= longestTimerMs,
  )
