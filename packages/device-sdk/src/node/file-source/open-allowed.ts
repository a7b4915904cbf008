import { constants } from 'node:fs'
import { type FileHandle, lstat, open, realpath, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { DeviceCloudError } from '../../device-cloud-error.ts'
import { providerDisk } from '../disk/lanes.ts'
import { isInside, resolveRoots } from '../roots/resolve-roots.ts'

/** Makes the error for a path that this device does not give away. */
export function denied(filePath: string, reason: string): DeviceCloudError {
  return new DeviceCloudError(
    'POLICY_DENIED',
    `policy_denied: Opening ${JSON.stringify(filePath)} failed: ${reason}.`,
  )
}

/**
 * Opens a path and makes sure that the open file is a regular one under a root.
 *
 * Only a regular file is opened: opening a device can have effects, such as starting a watchdog. The checks are made again
 * on what was opened, so a folder or link that is swapped in between is noticed instead of followed. Without blocking: a
 * pipe nobody writes to does not hang.
 *
 * @throws {DeviceCloudError} `POLICY_DENIED` when it lies outside, `FILE_UNAVAILABLE` when it cannot be opened, is not a
 * regular file or its disk does not respond; the signal's reason on abort.
 */
export async function openAllowed(
  filePath: string,
  roots: readonly string[],
  signal: AbortSignal,
): Promise<FileHandle> {
  const { folders } = await resolveRoots(roots, signal)
  const call = {
    at: filePath,
    work: () => openInside(filePath, folders),
    discard: (late: FileHandle) => late.close(),
  }
  return await providerDisk.run(call, signal).catch((error: unknown) => {
    const isInRoots = [...roots, ...folders].some((root) => isInside(root, filePath))
    // Outside the roots every failure reads the same. Without a cause it is that of a disk that does not respond.
    if (!isInRoots && error instanceof Error && error.cause === undefined) throw denied(filePath, outside)
    throw error
  })
}

const outside = 'it is outside the folders that this device shares'

/**
 * Opens a path like {@link openAllowed}, for a caller that has a thread of the disk lane and resolved the roots.
 *
 * @throws {DeviceCloudError} `POLICY_DENIED` or `FILE_UNAVAILABLE`.
 */
export async function openInside(filePath: string, realRoots: readonly string[]): Promise<FileHandle> {
  const resolved = await resolveInside(filePath, realRoots)
  const unopened = (cause: unknown): never => {
    throw unavailable(filePath, cause)
  }
  assertRegular(filePath, await lstat(resolved).catch(unopened))
  // Windows knows neither flag; its open does not hang on what lies in a folder.
  const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)
  const handle = await open(resolved, flags).catch(unopened)
  try {
    await assertSameFile(handle, { filePath, resolved, realRoots })
    return handle
  } catch (error) {
    await handle.close()
    throw error
  }
}

function assertRegular(filePath: string, found: { isFile(): boolean }): void {
  if (!found.isFile()) throw unavailable(filePath, new Error('it is not a regular file'))
}

async function resolveInside(filePath: string, realRoots: readonly string[]): Promise<string> {
  const resolved = await realpath(filePath).catch(async (cause: unknown) => {
    // A missing file outside the roots is denied like an existing one: answers must not tell what exists there.
    if (await isUnderRoot(filePath, realRoots)) throw unavailable(filePath, cause)
    throw denied(filePath, outside)
  })
  if (realRoots.some((root) => isInside(root, resolved))) return resolved
  throw denied(filePath, outside)
}

// The nearest folder above that exists decides where a missing file would lie.
async function isUnderRoot(filePath: string, realRoots: readonly string[]): Promise<boolean> {
  for (let folder = dirname(filePath); ; folder = dirname(folder)) {
    const real = await realpath(folder).catch(() => undefined)
    if (real !== undefined) return realRoots.some((root) => isInside(root, real))
    if (folder === dirname(folder)) return false
  }
}

interface OpenedPath {
  readonly filePath: string
  readonly resolved: string
  readonly realRoots: readonly string[]
}

async function assertSameFile(
  handle: FileHandle,
  { filePath, resolved, realRoots }: OpenedPath,
): Promise<void> {
  const opened = await handle.stat({ bigint: true })
  assertRegular(filePath, opened)
  // The path is resolved again: it must still name, under a root, the very file that was opened.
  const actual = await realpath(resolved).catch(() => undefined)
  const named = actual === undefined ? undefined : await stat(actual, { bigint: true }).catch(() => undefined)
  const same = named !== undefined && named.dev === opened.dev && named.ino === opened.ino
  if (!same || actual === undefined)
    throw unavailable(filePath, new Error('it was replaced while it was opened'))
  if (!realRoots.some((root) => isInside(root, actual))) throw denied(filePath, outside)
}

function unavailable(filePath: string, cause: unknown): DeviceCloudError {
  const reason = cause instanceof Error && 'code' in cause ? String(cause.code) : messageOf(cause)
  return new DeviceCloudError('FILE_UNAVAILABLE', `Opening ${JSON.stringify(filePath)} failed: ${reason}.`, {
    cause,
  })
}

const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : 'it failed')
