import { RuntimeError } from '../ports/runtime-error.ts'

/**
 * Refuses texts that are missing or empty, as a variable that nobody set gives them.
 *
 * @param attempt What the error begins with, such as `Opening the database`.
 * @throws {RuntimeError} `validation_error` that names the option and what it must be. Never holds the text.
 */
export function checkTexts<Options extends object>(
  attempt: string,
  options: Options | null | undefined,
  names: readonly (keyof Options & string)[],
): void {
  for (const name of names) {
    const value: unknown = options?.[name]
    if (typeof value === 'string' && value !== '') continue
    throw new RuntimeError('validation_error', `${attempt} failed: ${name} must be a text that is not empty.`)
  }
}
