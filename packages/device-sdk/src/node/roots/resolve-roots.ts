import { realpath, stat } from 'node:fs/promises'
import path from 'node:path'
import { DeviceCloudError } from '../../device-cloud-error.ts'

/**
 * Refuses roots that are not absolute: what a relative one names would depend on where the process was started.
 *
 * @throws {DeviceCloudError} `INVALID_OPTION`.
 */
export function assertRoots(roots: readonly unknown[] | undefined): void {
  const isList: boolean = Array.isArray(roots)
  if (!isList) {
    throw new DeviceCloudError(
      'INVALID_OPTION',
      'Using folders as roots failed: roots must be a list of absolute paths.',
    )
  }
  for (const root of roots ?? []) {
    if (typeof root === 'string' && path.isAbsolute(root) && !root.includes('\0')) continue
    throw new DeviceCloudError(
      'INVALID_OPTION',
      `Using ${JSON.stringify(root)} as a root failed: it is not an absolute path. Give the full path of a folder.`,
    )
  }
}

/**
 * Real paths of the roots that exist now, without those that lie inside another one.
 *
 * Called for each search and upload, so that a disk which is mounted later counts from then on.
 */
export async function resolveRoots(roots: readonly string[]): Promise<readonly string[]> {
  const resolved = await Promise.all(roots.map(realFolder))
  const folders = [...new Set(resolved.filter((folder) => folder !== undefined))]
  return folders.filter((folder) => !folders.some((other) => other !== folder && isInside(other, folder)))
}

async function realFolder(root: string): Promise<string | undefined> {
  try {
    const real = await realpath(root)
    return (await stat(real)).isDirectory() ? real : undefined
  } catch {
    return undefined
  }
}

/** Whether `target` is `root` or lies under it. Both must be real, normalized paths. */
export function isInside(root: string, target: string, paths: path.PlatformPath = path): boolean {
  const relative = paths.relative(root, target)
  if (relative === '') return true
  return relative !== '..' && !relative.startsWith(`..${paths.sep}`) && !paths.isAbsolute(relative)
}
