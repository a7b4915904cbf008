import { withTimeout } from '@homeward/kit'
import { realpath, stat } from 'node:fs/promises'
import path from 'node:path'
import { DeviceCloudError } from '../../device-cloud-error.ts'
import { providerDisk } from '../disk/lanes.ts'
import { unreadReasonOf } from '../file-search/unread-parts.ts'

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
      'Using folders as roots failed: "roots" must be a list of absolute paths.',
    )
  }
  for (const root of roots ?? []) {
    if (typeof root === 'string' && path.isAbsolute(root) && !root.includes('\0')) continue
    throw new DeviceCloudError(
      'INVALID_OPTION',
      `Using ${JSON.stringify(root)} as a root failed: the path is not absolute. Pass the full path of a folder.`,
    )
  }
}

/** Roots as they are on the disk now. */
interface ResolvedRoots {
  /** Real paths of those that exist, without those that lie inside another one. */
  readonly folders: readonly string[]
  /** Those whose disk did not respond. */
  readonly silent: readonly { readonly root: string; readonly error: DeviceCloudError }[]
  /** Those that are not there or may not be read. */
  readonly missing: readonly MissingRoot[]
  /** Whether some are not known yet. */
  readonly isPartial: boolean
}

/** A root that cannot be searched. */
export interface MissingRoot {
  readonly root: string
  readonly reason: 'missing_root' | 'denied' | 'other'
}

/**
 * Finds the roots that exist now. Called for each search and upload, so that a disk which is mounted later counts from
 * then on.
 *
 * @param patienceMs after it, the result is what is known by then.
 * @throws the signal's reason on abort.
 */
export async function resolveRoots(
  roots: readonly string[],
  signal: AbortSignal,
  patienceMs?: number,
): Promise<ResolvedRoots> {
  const folders: string[] = []
  const silent: { root: string; error: DeviceCloudError }[] = []
  const missing: MissingRoot[] = []
  const resolve = async (root: string): Promise<void> => {
    try {
      const folder = await providerDisk.run({ at: root, work: () => realFolder(root) }, signal)
      if (typeof folder === 'string') folders.push(folder)
      else missing.push(folder)
    } catch (error) {
      if (!DeviceCloudError.is(error)) throw error
      silent.push({ root, error })
    }
  }
  const all = Promise.all(roots.map(resolve))
  const known = await (patienceMs === undefined ? all : withTimeout(all, patienceMs))
  return {
    folders: outermost(folders),
    silent: [...silent],
    missing: [...missing],
    isPartial: known === undefined,
  }
}

function outermost(folders: readonly string[]): string[] {
  const distinct = [...new Set(folders)]
  return distinct.filter((folder) => !distinct.some((other) => other !== folder && isInside(other, folder)))
}

async function realFolder(root: string): Promise<string | MissingRoot> {
  try {
    const real = await realpath(root)
    return (await stat(real)).isDirectory() ? real : { root, reason: 'missing_root' }
  } catch (error) {
    const reason = unreadReasonOf(error)
    if (reason === undefined) return { root, reason: 'missing_root' }
    return { root, reason: reason === 'denied' ? 'denied' : 'other' }
  }
}

/** Whether `target` is `root` or lies under it. Both must be real, normalized paths. */
export function isInside(root: string, target: string, paths: path.PlatformPath = path): boolean {
  const relative = paths.relative(root, target)
  if (relative === '') return true
  return relative !== '..' && !relative.startsWith(`..${paths.sep}`) && !paths.isAbsolute(relative)
}
