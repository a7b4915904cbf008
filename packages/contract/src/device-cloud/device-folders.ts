import type { DeviceMetadata } from './device-metadata.ts'

/** Most folders that are read of a device. */
const maxFolders = 50

/**
 * Reads the folders that a device announces: `metadata.folders: ['/srv/photos']`. Metadata is free, so entries that are not
 * text are left out, and so are entries after the first 50.
 *
 * @example
 * readDeviceFolders({ folders: ['/home/ann/Documents', '/srv/photos'] })
 */
export function readDeviceFolders({ folders }: DeviceMetadata): string[] {
  const given: unknown[] = Array.isArray(folders) ? folders.slice(0, maxFolders) : []
  return given.filter((folder) => typeof folder === 'string' && folder !== '') as string[] // what the filter lets through
}
