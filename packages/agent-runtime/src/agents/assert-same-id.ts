import { RuntimeError } from '../ports/runtime-error.ts'

/**
 * Refuses a change that names another id than the one it is for: whoever sends it means to rename, or means another one.
 *
 * @throws {RuntimeError} `validation_error`
 */
export function assertSameId(named: string | undefined, id: string, attempt: string): void {
  if (named === undefined || named === id) return
  throw new RuntimeError(
    'validation_error',
    `${attempt} failed: "id" cannot be changed. Leave "id" out, or create a new one and delete "${id}".`,
  )
}
