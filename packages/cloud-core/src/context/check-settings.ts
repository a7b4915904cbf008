import { createNumberCheck, createStringCheck } from '@homeward/kit'

const toError = (attempt: string, fault: string) => new TypeError(`${attempt} failed: ${fault}.`)

/** @throws {TypeError} that names the setting and what it must be. */
export const checkNumbers = createNumberCheck(toError)

/** @throws {TypeError} that names the setting and what it must be. Never holds the text. */
export const checkTexts = createStringCheck(toError)
