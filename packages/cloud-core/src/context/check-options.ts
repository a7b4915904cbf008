import { createOptionCheck } from '@homeward/kit'

/** @throws {TypeError} that names the option and what it must be. Never holds a text. */
export const checkOptions = createOptionCheck(
  (attempt, fault) => new TypeError(`${attempt} failed: ${fault}.`),
)
