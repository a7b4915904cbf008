import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { DeviceCloudError } from '../../device-cloud-error.ts'
import { randomUUID } from 'node:crypto'

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

/** Who holds a lock. A process number alone is not enough: after a restart another process may have it. */
interface LockOwner {
  readonly pid: number
  /** When that process started, in a form that only compares. */
  readonly startedAt: string
  /** Tells two locks of one process apart. */
  readonly token: string
}

/** Describes the running process. */
async function ownIdentity(): Promise<LockOwner> {
  return { pid: process.pid, startedAt: (await startOf(process.pid)) ?? '', token: randomUUID() }
}

/** Whether the process that wrote a lock still runs. */
async function isAlive({ pid, startedAt }: LockOwner): Promise<boolean> {
  try {
    process.kill(pid, 0)
  } catch (error) {
    // Not allowed to signal it: it is there, and belongs to somebody else.
    if (!(error instanceof Error && 'code' in error && error.code === 'EPERM')) return false
  }
  const actual = await startOf(pid)
  return actual === undefined || actual === startedAt
}

/** Reads what a lock file holds; `undefined` when it is not whole. */
function parseOwner(text: string): LockOwner | undefined {
  try {
    const owner: unknown = JSON.parse(text)
    if (typeof owner !== 'object' || owner === null) return undefined
    const { pid, startedAt, token } = owner as Partial<Record<keyof LockOwner, unknown>> // checked in the next line
    if (typeof pid !== 'number' || !Number.isSafeInteger(pid) || pid <= 0) return undefined
    if (typeof startedAt !== 'string' || typeof token !== 'string') return undefined
    return { pid, startedAt, token }
  } catch {
    return undefined
  }
}

// Boot and start tick on Linux, where a container gives its first process the same number at every start.
// Elsewhere only this process knows its own start.
async function startOf(pid: number): Promise<string | undefined> {
  if (process.platform === 'linux') {
    try {
      // One after the other: disk calls of the agent's state take one thread of the pool.
      const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8')
      const line = await readFile(`/proc/${pid}/stat`, 'utf8')
      // The second field is the program's name in brackets and may hold anything; counting starts after it.
      const fields = line.slice(line.lastIndexOf(')') + 2).split(' ')
      return `${boot.trim()}/${fields[19]}`
    } catch {
      // No /proc here.
    }
  }
  return pid === process.pid ? String(Math.round(performance.timeOrigin)) : undefined
}
