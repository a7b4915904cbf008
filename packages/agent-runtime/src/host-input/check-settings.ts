import { createNumberCheck, createTextCheck } from '@homeward/kit'
import { RuntimeError } from '../ports/runtime-error.ts'

const toError = (attempt: string, fault: string) =>
  new RuntimeError('validation_error', `${attempt} failed: ${fault}.`)

/** @throws {RuntimeError} `validation_error` that names the option and what it must be. */
export const checkNumbers = createNumberCheck(toError)

/** @throws {RuntimeError} `validation_error` that names the option. Never holds the text. */
export const checkTexts = createTextCheck(toError)
