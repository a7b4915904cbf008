import { CliError } from '../../cli-error.ts'
import { exitCodes } from '../../exit-codes.ts'

/**
 * Rejects what a service file cannot hold, or would read as something else.
 *
 * @param what for the error: `the root "/srv/a"`
 * @param forbidden what this kind of file cannot hold, besides control characters
 * @throws {CliError} wrong use.
 */
export function checkValue(what: string, value: string, forbidden?: RegExp): string {
  const [found] = /\p{Cc}/u.exec(value) ?? forbidden?.exec(value) ?? []
  if (found === undefined) return value
  const shown = /\p{Cc}/u.test(found) ? 'a control character, such as a line break' : found
  const rule = `a service cannot name a path with ${shown}. Rename it, or link to it under another name`
  throw new CliError(`Installing the service failed: ${what}: ${rule}.`, exitCodes.usage)
}
