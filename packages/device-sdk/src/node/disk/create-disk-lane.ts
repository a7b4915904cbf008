import { onAbort, platformTimers, type Timers } from '@homeward/kit'
import path from 'node:path'
import { DeviceCloudError, type DeviceCloudErrorCode } from '../../device-cloud-error.ts'

/** Work on a disk that takes one thread of Node's pool until it returns. */
export interface DiskCall<Result> {
  /** The file or folder. Until the call returns, no other call is made at or under its path. */
  readonly at: string
  /** Makes its calls one after the other. `progress` restarts the time limit. */
  readonly work: (progress: () => void) => Promise<Result>
  /** Releases a result that arrives after the caller was rejected. */
  readonly discard?: (late: Result) => unknown
  /** Makes the call sometime even if the caller was rejected, for what must be released. */
  readonly mustRun?: boolean
}

/** Limits how many threads of Node's pool disk calls take. */
export interface DiskLane {
  /**
   * Makes a call when a thread is free. Rejects as soon as `signal` aborts, with its reason, or when the disk is silent. The
   * thread stays taken until the call returns.
   */
  run<Result>(call: DiskCall<Result>, signal?: AbortSignal): Promise<Result>
}

/** What a lane needs to know. */
interface DiskLaneOptions {
  /** Calls at the same time. */
  readonly slots: number
  /** Code of the error for a disk that does not respond. */
  readonly code: DeviceCloudErrorCode
  /** Milliseconds after which a call is given up. @default 10000 */
  readonly silentMs?: number
  readonly timers?: Timers
}

interface Job {
  readonly at: string
  readonly mustRun: boolean
  silent: boolean
  start(): void
  giveUp(): void
}

/**
 * Builds a lane. A disk that never responds, such as a mount whose server is gone, keeps the threads of its calls for as long
 * as the process lives. Without a limit it soon has all threads of the pool, and name look-ups need one too.
 */
export function createDiskLane(options: DiskLaneOptions): DiskLane {
  const { slots, silentMs = 10_000, timers = platformTimers } = options
  const running = new Set<Job>()
  const waiting = new Set<Job>()

  /** Why a call cannot be made now. */
  function whyNot({ at }: Job): 'taken' | 'silent' | 'full' | undefined {
    for (const other of running) if (isWithin(other.at, at)) return other.silent ? 'silent' : 'taken'
    if (running.size < slots) return undefined
    return [...running].every(({ silent }) => silent) ? 'silent' : 'full'
  }

  function next(): void {
    for (const job of waiting) {
      const reason = whyNot(job)
      if (reason === 'full') break
      if (reason === 'taken') continue
      if (reason === undefined || !job.mustRun) waiting.delete(job)
      if (reason === undefined) job.start()
      else job.giveUp()
    }
  }

  function watch(job: Job): { restart: () => void; end: () => void } {
    let timer: unknown
    const giveUp = () => {
      job.silent = true
      job.giveUp()
      next()
    }
    const restart = () => {
      timers.clearTimeout(timer)
      job.silent = false
      // Two timers: after the sleep of a computer the first one comes before the results that are there.
      timer = timers.setTimeout(() => (timer = timers.setTimeout(giveUp, silentMs / 2)), silentMs / 2)
    }
    restart()
    return { restart, end: () => timers.clearTimeout(timer) }
  }

  return {
    run: ({ at, work, discard, mustRun = false }, signal) =>
      new Promise((resolve, reject) => {
        signal?.throwIfAborted()
        let isOver = false
        const settle = (end: () => void): void => {
          if (isOver) return
          isOver = true
          forget()
          end()
        }
        const job: Job = {
          at,
          mustRun,
          silent: false,
          giveUp: () => settle(() => reject(toSilentError(at, silentMs, options.code))),
          start: () => void start(),
        }
        const start = async () => {
          running.add(job)
          const { restart, end } = watch(job)
          try {
            const result = await work(restart)
            if (isOver) await discard?.(result)
            settle(() => resolve(result))
          } catch (error) {
            // oxlint-disable-next-line prefer-promise-reject-errors -- the call's own error
            settle(() => reject(error))
          }
          end()
          running.delete(job)
          next()
        }
        const leave = () => {
          if (!mustRun) waiting.delete(job)
          // oxlint-disable-next-line prefer-promise-reject-errors -- the caller's reason is passed on as it is
          settle(() => reject(signal?.reason))
        }
        const forget = signal ? onAbort(signal, leave) : () => {}
        waiting.add(job)
        next()
      }),
  }
}

const isWithin = (folder: string, target: string): boolean =>
  target === folder || target.startsWith(folder.endsWith(path.sep) ? folder : folder + path.sep)

function toSilentError(at: string, silentMs: number, code: DeviceCloudErrorCode): DeviceCloudError {
  return new DeviceCloudError(
    code,
    `Reading ${JSON.stringify(at)} failed: the disk did not respond within ${silentMs / 1000} s. Check the drive or the network share.`,
  )
}
