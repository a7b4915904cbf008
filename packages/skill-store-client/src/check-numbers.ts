import { SkillStoreError } from './skill-store-error.ts'

/**
 * Refuses limits that cannot work: with `NaN`, which a missing variable gives, no comparison holds, so it limits nothing.
 *
 * @param attempt What the error begins with, such as `Opening the skill store`.
 * @throws {SkillStoreError} `INVALID_OPTION` that names the option and what it must be.
 */
export function checkNumbers(
  attempt: string,
  values: Readonly<Record<string, number | undefined>>,
  most = Infinity,
): void {
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined || (value > 0 && value <= most)) continue
    const words = most === Infinity ? 'a number above 0' : `a number above 0, and ${most} at most`
    throw new SkillStoreError('INVALID_OPTION', `${attempt} failed: ${name} must be ${words}.`)
  }
}
