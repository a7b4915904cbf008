import { createDiskLane } from './create-disk-lane.ts'

// libuv reads the same variable, and has 4 threads without it.
const poolThreads = Number(process.env.UV_THREADPOOL_SIZE) || 4

/**
 * Disk calls of search providers and uploads, of the whole process: the pool is one, too. Two threads stay free, one for the
 * agent's own state and one for name look-ups.
 */
export const providerDisk = createDiskLane({ slots: Math.max(1, poolThreads - 2), code: 'FILE_UNAVAILABLE' })

/** Disk calls of outboxes and audit logs, one after the other. */
export const stateDisk = createDiskLane({ slots: 1, code: 'STATE_UNAVAILABLE' })
