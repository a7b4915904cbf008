import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'

/** Who holds a lock. A process number alone is not enough: after a restart another process may have it. */
export interface LockOwner {
  readonly pid: number
  /** When that process started, in a form that only compares. */
  readonly startedAt: string
  /** Tells two locks of one process apart. */
  readonly token: string
}

/** Describes the running process. */
export async function ownIdentity(): Promise<LockOwner> {
  return { pid: process.pid, startedAt: (await startOf(process.pid)) ?? '', token: randomUUID() }
}

/** Whether the process that wrote a lock still runs. */
export async function isAlive({ pid, startedAt }: LockOwner): Promise<boolean> {
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
export function parseOwner(text: string): LockOwner | undefined {
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
