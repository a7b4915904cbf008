import { RuntimeError } from '../ports/runtime-error.ts'

/** All names of some options: one that is left out does not compile. */
export type OptionNames<Options> = { readonly [Name in keyof Options]-?: true }

/**
 * Refuses a name that is not known. A host without types would get the default of what it meant to set: of `hoem` instead
 * of `home`, a runtime that forgets everything.
 *
 * @param attempt What the error begins with, such as `Creating the runtime`.
 * @throws {RuntimeError} `validation_error` that names the option, and those there are.
 */
export function checkNames<Options extends object>(
  attempt: string,
  options: Options | undefined,
  known: OptionNames<Options>,
): void {
  const strange = Object.keys(options ?? {}).find((name) => !Object.hasOwn(known, name))
  if (strange === undefined) return
  const what = `"${strange.slice(0, 100)}" is unknown. Use ${Object.keys(known).join(', ')}`
  throw new RuntimeError('validation_error', `${attempt} failed: ${what}.`)
}
