import { sleep } from '@homeward/kit'
import type { ProcessFamily } from './process-table.ts'

/**
 * Longest wait for processes that were killed. Only the kernel can hold one up (a file system that does not respond), or
 * another user own it: such a process is left after this time, in milliseconds.
 */
export const longestEndMs = 10_000

const longestPauseMs = 50

/**
 * Kills a process group and everything that came from it, and waits until it is dead. New processes may appear while
 * the old ones end.
 *
 * @param isFenced Whether all of it ran in a process namespace whose first process is in the group: once the group is
 * empty, the kernel has ended the rest.
 */
export async function endProcesses(pid: number, family: ProcessFamily, isFenced = false): Promise<void> {
  if (!signalGroup(pid, 'SIGKILL') && isFenced) return
  const killed = new Set<number>()
  const startedAt = performance.now()
  for (let pauseMs = 1; performance.now() - startedAt < longestEndMs;) {
    const living = await family.living()
    if (living.length === 0 && !isGroupLeft(pid)) return
    const fresh = living.filter((row) => !killed.has(row.pid))
    for (const row of living) signalProcess(row.pid, 'SIGKILL')
    for (const row of fresh) killed.add(row.pid)
    // no pause while processes appear: they would start others meanwhile
    if (fresh.length > 0) continue
    await sleep(pauseMs)
    pauseMs = Math.min(pauseMs * 2, longestPauseMs)
  }
}

/** Whether a group still has processes, on systems without a process table that can be read. */
const isGroupLeft = (pid: number) =>
  process.platform !== 'linux' && process.platform !== 'win32' && signalGroup(pid, 'SIGKILL')

/** Sends a signal to all processes of a group. @returns whether there is one that got it */
export function signalGroup(pid: number, name: NodeJS.Signals): boolean {
  // Windows has no groups
  return signalProcess(process.platform === 'win32' ? pid : -pid, name)
}

/** Sends a signal to a process. @returns whether it got it: it had not ended */
export function signalProcess(pid: number, name: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, name)
  } catch {
    return false
  }
}
