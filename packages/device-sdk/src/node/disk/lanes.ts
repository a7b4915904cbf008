import { checkNumbers } from '../../check-numbers.ts'
import { createCpuLimit, type CpuLimit } from './cpu-limit.ts'
import { createDiskLane, type DiskLane } from './create-disk-lane.ts'

// libuv reads the same variable, and has 4 threads without it.
const poolThreads = Number(process.env.UV_THREADPOOL_SIZE) || 4

const providerLane = createDiskLane({ slots: Math.max(1, poolThreads - 2), code: 'FILE_UNAVAILABLE' })

/** The CPU belongs to the whole process, as the disk does. */
let cpu: CpuLimit | undefined

/**
 * Disk calls of search providers and uploads, of the whole process: the pool is one, too. Two threads stay free, one for the
 * agent's own state and one for name look-ups.
 */
export const providerDisk: DiskLane = {
  run(call, signal) {
    if (cpu === undefined || call.mustRun === true) return providerLane.run(call, signal)
    return cpu.rest(signal).then(() => providerLane.run(call, signal))
  },
}

/**
 * Limits the CPU use of this process to a part of one core.
 *
 * Searches, the file index and document reading pause when the process exceeds the limit. All other work of the
 * process counts too. A paused search may reach its time limit, with `truncated: true`.
 *
 * @param maxPercent percent of one core, at least 1.
 * @returns a function that removes the limit
 * @throws {DeviceCloudError} `INVALID_OPTION` if `maxPercent` is not a number of at least 1.
 * @example
 * const endLimit = limitCpu(20)
 */
export function limitCpu(maxPercent: number): () => void {
  checkNumbers('Limiting the CPU', { maxPercent }, 1)
  const limit = createCpuLimit({ maxPercent })
  cpu = limit
  return () => {
    if (cpu === limit) cpu = undefined
  }
}

/** Runs work of another process, which counts as if it took a core all the time. */
export async function countCpu<Result>(work: () => Promise<Result>): Promise<Result> {
  const startedMs = performance.now()
  try {
    return await work()
  } finally {
    cpu?.note(performance.now() - startedMs)
  }
}

/** Disk calls of outboxes and audit logs, one after the other. */
export const stateDisk = createDiskLane({ slots: 1, code: 'STATE_UNAVAILABLE' })
