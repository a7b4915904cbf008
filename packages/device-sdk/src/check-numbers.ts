import { DeviceCloudError } from './device-cloud-error.ts'

/**
 * Refuses numbers that cannot work: of `NaN`, which a missing variable gives, no comparison holds, so as a limit it is
 * none.
 *
 * @param attempt What the error begins with, such as `Creating the outbox`.
 * @throws {DeviceCloudError} `INVALID_OPTION` that names the option and what it must be.
 */
export function checkNumbers(
  attempt: string,
  values: Readonly<Record<string, number | undefined>>,
  least = 0,
): void {
  for (const [name, value = least] of Object.entries(values)) {
    if (value >= least) continue
    throw new DeviceCloudError(
      'INVALID_OPTION',
      `${attempt} failed: "${name}" must be a number of at least ${least}, got ${String(value)}.`,
    )
  }
}
