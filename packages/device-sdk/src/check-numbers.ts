import { createNumberCheck } from '@homeward/kit'
import { DeviceCloudError } from './device-cloud-error.ts'

/** @throws {DeviceCloudError} `INVALID_OPTION` that names the option and what it must be. */
export const checkNumbers = createNumberCheck(
  (attempt, fault) => new DeviceCloudError('INVALID_OPTION', `${attempt} failed: ${fault}.`),
)
