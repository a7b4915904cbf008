import { timerFrom } from '@homeward/kit'
import { checkNames, type OptionNames } from '../host-input/check-names.ts'
import { checkNumbers } from '../host-input/check-settings.ts'
import type { Guards } from '../ports/guard.ts'
import { RuntimeError } from '../ports/runtime-error.ts'

const names: OptionNames<Guards> = {
  input: true,
  toolCall: true,
  toolResult: true,
  output: true,
  timeoutMs: true,
}

const kinds = ['input', 'toolCall', 'toolResult', 'output'] as const

/** @throws {RuntimeError} `validation_error`: a guard that is not called checks nothing. */
export function checkGuards(attempt: string, guards: Guards): void {
  const isObject: boolean = typeof guards === 'object' && guards !== null // a host without types may give anything
  if (!isObject || Array.isArray(guards)) refuse(attempt, '"guards" must be an object')
  checkNames(attempt, guards, names)
  const { timeoutMs } = guards
  checkNumbers(
    attempt,
    { ...(timeoutMs !== undefined && { timeoutMs }) },
    { timeoutMs: timerFrom(1) },
    'guards',
  )
  for (const kind of kinds) {
    const given: unknown = guards[kind]
    if (given === undefined) continue
    const list: readonly unknown[] = Array.isArray(given) ? given : [given]
    if (list.length === 0 || !list.every((guard) => typeof guard === 'function'))
      refuse(attempt, `"guards.${kind}" must be a function or a list of functions`)
  }
}

function refuse(attempt: string, problem: string): never {
  throw new RuntimeError('validation_error', `${attempt} failed: ${problem}.`)
}
