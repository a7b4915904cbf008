import { link, mkdir, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { DeviceCloudError } from '../../device-cloud-error.ts'
import { isAlive, type LockOwner, ownIdentity, parseOwner } from './lock-owner.ts'

/** A folder held by this process. */
export interface FolderLock {
  /** Lets the next one in. Safe to call twice. */
  release(): Promise<void>
}

// A lock file is written within milliseconds of its creation; one without an owner for this long was left by a crash.
const unwrittenStaleMs = 10_000

/**
 * Takes a folder for this process, with a file `<name>.lock` in it. A lock whose process is dead is taken over.
 *
 * @throws {DeviceCloudError} `STATE_UNAVAILABLE` when a living process holds it, or the folder cannot be written.
 */
export async function lockFolder(folder: string, name: string, now: () => number): Promise<FolderLock> {
  const lockFile = path.join(folder, `${name}.lock`)
  await mkdir(folder, { recursive: true, mode: 0o700 }).catch((cause: unknown) => {
    throw new DeviceCloudError('STATE_UNAVAILABLE', `open the state folder "${folder}": it cannot be made`, {
      cause,
    })
  })
  const owner = await ownIdentity()
  if (!(await claim(lockFile, owner))) await takeOver({ lockFile, folder, owner, now })
  return {
    async release() {
      // Whoever took over meanwhile keeps its lock.
      if ((await readOwner(lockFile))?.token === owner.token) await rm(lockFile, { force: true })
    },
  }
}

/** Creates a lock file; false when there is one. */
async function claim(lockFile: string, owner: LockOwner): Promise<boolean> {
  try {
    await writeFile(lockFile, JSON.stringify(owner), { flag: 'wx', mode: 0o600 })
    return true
  } catch (cause) {
    if (hasCode(cause, 'EEXIST')) return false
    throw new DeviceCloudError('STATE_UNAVAILABLE', `write "${lockFile}": the folder cannot be written`, {
      cause,
    })
  }
}

interface TakeOver {
  readonly lockFile: string
  readonly folder: string
  readonly owner: LockOwner
  readonly now: () => number
}

// Between seeing a dead owner and replacing its file another process may do the same: a second file, held only
// for this moment, lets one of them through.
async function takeOver({ lockFile, folder, owner, now }: TakeOver): Promise<void> {
  const guardFile = `${lockFile}.takeover`
  await removeOldGuard(guardFile, owner.token, now() - unwrittenStaleMs)
  const guard = await open(guardFile, 'wx', 0o600).catch(() => undefined)
  if (guard === undefined) throw inUse(folder)
  try {
    const holder = await readOwner(lockFile)
    const stale =
      holder === undefined ? await isOlder(lockFile, now() - unwrittenStaleMs) : !(await isAlive(holder))
    if (stale) await rm(lockFile, { force: true })
    if (!(await claim(lockFile, owner))) throw inUse(folder, holder)
  } finally {
    await guard.close()
    await rm(guardFile, { force: true })
  }
}

// Moved aside before it is removed: of two that find it old only one can move it, and a new one that slipped in
// between goes back.
async function removeOldGuard(guardFile: string, token: string, timeMs: number): Promise<void> {
  if (!(await isOlder(guardFile, timeMs))) return
  const aside = `${guardFile}.${token}`
  try {
    await rename(guardFile, aside)
    if (!(await isOlder(aside, timeMs))) await link(aside, guardFile)
  } catch {
    // Another process was faster, and its guard counts.
  }
  await rm(aside, { force: true })
}

async function readOwner(lockFile: string): Promise<LockOwner | undefined> {
  return await readFile(lockFile, 'utf8').then(parseOwner, () => undefined)
}

async function isOlder(file: string, timeMs: number): Promise<boolean> {
  return await stat(file).then(
    ({ mtimeMs }) => mtimeMs < timeMs,
    () => false,
  )
}

function inUse(folder: string, holder?: LockOwner): DeviceCloudError {
  const who = holder === undefined ? 'another process' : `process ${holder.pid}`
  const message = `open the state folder "${folder}": ${who} uses it; stop that agent or choose another folder`
  return new DeviceCloudError('STATE_UNAVAILABLE', message)
}

/** Whether an error of the file system has this code. */
export function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
