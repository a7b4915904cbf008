import { createNumberCheck, createStringCheck, type NumberRules } from '@homeward/kit'
import { RuntimeError } from '../ports/runtime-error.ts'

const toError = (attempt: string, fault: string) =>
  new RuntimeError('validation_error', `${attempt} failed: ${fault}.`)
const checkValues = createNumberCheck(toError)

/**
 * Refuses options that are not an object, and numbers in them that cannot work.
 *
 * @param group name of the option that holds these options, all of them numbers. An unknown name in it is refused,
 * because it was meant to limit something: `journalDays` instead of `journalMs` would let the journal grow.
 * @throws {RuntimeError} `validation_error` that names the option and what it must be.
 */
export function checkNumbers<Options extends object>(
  attempt: string,
  options: Options | undefined,
  rules: NumberRules<Options>,
  group?: string,
): void {
  const isObject: boolean = typeof options === 'object' && options !== null
  if (options !== undefined && !isObject)
    throw toError(attempt, `${group === undefined ? 'the options' : `"${group}"`} must be an object`)
  const known = Object.keys(rules)
  const strange = group && Object.keys(options ?? {}).find((name) => !known.includes(name))
  if (strange !== undefined) {
    throw toError(attempt, `"${group}.${strange.slice(0, 100)}" is unknown. Use ${known.join(', ')}`)
  }
  checkValues(attempt, options, rules, group)
}

/** @throws {RuntimeError} `validation_error` that names the option. Never holds the text. */
export const checkTexts = createStringCheck(toError)
