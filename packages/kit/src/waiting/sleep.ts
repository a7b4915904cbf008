import { createAutoResetEvent } from './auto-reset-event.ts'
import type { Timers } from './timers.ts'

/**
 * Resolves after `ms` or when `signal` aborts. Never rejects, and clears its timer. To reject with the signal's
 * reason, call `signal.throwIfAborted()` afterwards.
 *
 * @param timers @default the timers of the platform
 */
export const sleep = (ms: number, signal?: AbortSignal, timers?: Timers): Promise<void> =>
  createAutoResetEvent(timers).wait(ms, signal)
