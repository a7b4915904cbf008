import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
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
    throw new DeviceCloudError(
      'STATE_UNAVAILABLE',
      `Opening the state folder "${folder}" failed: it cannot be created. Check the path and its permissions.`,
      {
        cause,
      },
    )
  })
  const owner = await ownIdentity()
  await acquire(lockFile, { lockFile, folder, owner, now })
  return { release: () => release(lockFile, owner) }
}

interface Attempt {
  readonly lockFile: string
  readonly folder: string
  readonly owner: LockOwner
  readonly now: () => number
}

/** A lock file as it was found. */
interface Holder {
  /** Names this very lock, fit for a file name. */
  readonly id: string
  readonly owner: LockOwner | undefined
  readonly writtenMs: number
}

// Between seeing a dead holder and replacing its file another process may do the same. So a dead holder's file is
// replaced only under a second lock that is named after that holder: whoever comes late finds another holder behind
// it and goes away. A process that dies holding the second lock is itself such a holder.
async function acquire(file: string, attempt: Attempt): Promise<void> {
  if (await claim(file, attempt.owner)) return
  const holder = await readHolder(file)
  if (holder === undefined || !(await isDead(holder, attempt.now))) throw inUse(attempt.folder, holder?.owner)
  const guard = `${attempt.lockFile}.${holder.id}`
  await acquire(guard, attempt)
  try {
    if ((await readHolder(file))?.id === holder.id) await rm(file, { force: true })
    if (!(await claim(file, attempt.owner))) throw inUse(attempt.folder, (await readHolder(file))?.owner)
  } finally {
    await release(guard, attempt.owner)
  }
}

/** Creates a lock file; false when there is one. */
async function claim(lockFile: string, owner: LockOwner): Promise<boolean> {
  try {
    await writeFile(lockFile, JSON.stringify(owner), { flag: 'wx', mode: 0o600 })
    return true
  } catch (cause) {
    if (hasCode(cause, 'EEXIST')) return false
    throw new DeviceCloudError(
      'STATE_UNAVAILABLE',
      `Writing "${lockFile}" failed: the folder is not writable. Check its owner and permissions.`,
      {
        cause,
      },
    )
  }
}

// Whoever took over meanwhile keeps its lock.
async function release(lockFile: string, owner: LockOwner): Promise<void> {
  if ((await readHolder(lockFile))?.owner?.token === owner.token) await rm(lockFile, { force: true })
}

/** Who holds a lock file; `undefined` when it is gone. */
async function readHolder(file: string): Promise<Holder | undefined> {
  try {
    const text = await readFile(file, 'utf8')
    const { ino, mtimeMs } = await stat(file)
    const owner = parseOwner(text)
    const id = encodeURIComponent(owner?.token ?? `unwritten-${ino}-${mtimeMs}`)
    return { id, owner, writtenMs: mtimeMs }
  } catch {
    return undefined
  }
}

async function isDead({ owner, writtenMs }: Holder, now: () => number): Promise<boolean> {
  return owner === undefined ? writtenMs < now() - unwrittenStaleMs : !(await isAlive(owner))
}

function inUse(folder: string, holder?: LockOwner): DeviceCloudError {
  const who = holder === undefined ? 'another process' : `process ${holder.pid}`
  const message = `Opening the state folder "${folder}" failed: ${who} is using it. Stop that agent, or choose another folder.`
  return new DeviceCloudError('STATE_UNAVAILABLE', message)
}

/** Whether an error of the file system has this code. */
export function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
