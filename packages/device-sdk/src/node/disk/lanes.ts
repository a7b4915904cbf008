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
 * Limits how much of one core this process takes: searches, the index of files and the reading of documents rest in
 * between. All other work of the process counts, too. A search that rests may end at its time limit, with `truncated: true`.
 *
 * @param maxPercent Percent of one core, from 1 on.
 * @returns ends the limit
 * @throws {DeviceCloudError} `INVALID_OPTION` if `maxPercent` is not a number from 1 on.
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
