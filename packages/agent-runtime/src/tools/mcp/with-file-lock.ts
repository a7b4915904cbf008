import { mkdir, open, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { sleep } from '@homeward/kit'

const pauseMs = 50
/** A lock this old belongs to a process that has ended. Work under a lock has to be done long before. */
const staleMs = 60_000

/**
 * Does work that no other process does at the same time, as long as all of them name the same file. The file exists while the work
 * is being done.
 *
 * @throws {unknown} what the work throws, what the file system fails with, or the signal's reason
 */
export async function withFileLock<T>(
  path: string,
  work: () => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  while (!(await take(path))) {
    await sleep(pauseMs, signal)
    signal?.throwIfAborted()
  }
  try {
    return await work()
  } finally {
    await rm(path, { force: true })
  }
}

/** @returns whether the lock is ours now. */
async function take(path: string): Promise<boolean> {
  try {
    const file = await open(path, 'wx', 0o600)
    await file.close()
    return true
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  }
  const found = await stat(path).catch(() => undefined)
  // the age by the file system's own clock would need another file: clocks of one machine agree
  if (found && Date.now() - found.mtimeMs > staleMs) await rm(path, { force: true })
  return false
}
