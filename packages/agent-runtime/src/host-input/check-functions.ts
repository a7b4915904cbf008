import { RuntimeError } from '../ports/runtime-error.ts'

/**
 * Refuses what is given under these names and is no function: a host without types would hear of it with some later call
 * only.
 *
 * @param attempt What the error begins with, such as `Creating the runtime`.
 * @throws {RuntimeError} `validation_error` that names the option.
 */
export function checkFunctions<Options extends object>(
  attempt: string,
  options: Options,
  names: readonly (keyof Options & string)[],
): void {
  for (const name of names) {
    if (options[name] === undefined || typeof options[name] === 'function') continue
    throw new RuntimeError('validation_error', `${attempt} failed: "${name}" must be a function.`)
  }
}
