import type { DeviceMetadata } from './device-metadata.ts'

/** Most folders that are read of a device. */
const maxFolders = 50

/**
 * Reads the folders that a device announces in `metadata.folders`, such as `['/srv/photos']`.
 *
 * Metadata is not validated, so entries that are not strings and entries after the first 50 are left out.
 *
 * @example
 * readDeviceFolders({ folders: ['/home/ann/Documents', '/srv/photos'] })
 */
export function readDeviceFolders({ folders }: DeviceMetadata): string[] {
  const given: unknown[] = Array.isArray(folders) ? folders.slice(0, maxFolders) : []
  return given.filter((folder) => typeof folder === 'string' && folder !== '') as string[] // what the filter lets through
}
