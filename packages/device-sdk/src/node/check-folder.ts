import { DeviceCloudError } from '../device-cloud-error.ts'

/**
 * Refuses a folder that is missing, as a variable that nobody set gives it.
 *
 * @param attempt What the error begins with, such as `Creating the outbox`.
 * @throws {DeviceCloudError} `INVALID_OPTION`.
 */
export function checkFolder(
  attempt: string,
  options: { readonly folder?: unknown } | null | undefined,
): void {
  const folder = options?.folder
  if (typeof folder === 'string' && folder !== '') return
  throw new DeviceCloudError('INVALID_OPTION', `${attempt} failed: "folder" must be the path of a folder.`)
}
