import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Name of the file that holds the whole device agent, made by the build of this package. */
export const bundleName = 'homeward-device.cjs'

/** Finds the device agent in one file that the build of this package has written, from a folder of the package. A clone has none. */
export function findBundle(folder: string): string | undefined {
  for (let at = folder; at !== dirname(at); at = dirname(at)) {
    const file = join(at, 'dist', bundleName)
    if (existsSync(file) && existsSync(join(at, 'package.json'))) return file
    if (existsSync(join(at, 'package.json'))) return undefined
  }
  return undefined
}
