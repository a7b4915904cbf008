import { createOptionCheck } from '@homeward/kit'
import { RuntimeError } from '../ports/runtime-error.ts'

/** @throws {RuntimeError} `validation_error` that names the option and what it must be. Never holds a text. */
export const checkOptions = createOptionCheck(
  (attempt, fault) => new RuntimeError('validation_error', `${attempt} failed: ${fault}.`),
)
