import { sleep, type Timers } from '@homeward/kit'
import type { DeviceToolContext } from './device-tool.ts'

const firstPauseMs = 200
const longestPauseMs = 2000

/** Longest time that a tool may wait, in seconds. */
export const maxWaitSeconds = 300
/** Below the minute after which most clients give a call up. */
export const defaultWaitSeconds = 20

/** What {@link waitUntil} looks at again and again. */
interface Looked<Found> {
  readonly found: Found
  readonly isDone: boolean
  /** For the client's user. */
  readonly message: string
  readonly done: number
  readonly total?: number | undefined
}

/**
 * Looks until there is nothing more to wait for, or the time is up, with longer and longer pauses. Between looks the client
 * hears about progress if it asked to.
 *
 * @param timers @default the timers of the platform
 */
export async function waitUntil<Found>(
  look: () => Promise<Looked<Found>>,
  waitSeconds: number,
  { signal, progress }: DeviceToolContext,
  timers: Timers | undefined,
): Promise<Found> {
  let leftMs = waitSeconds * 1000
  let pauseMs = firstPauseMs
  let told = -1
  for (;;) {
    const { found, isDone, message, done, total } = await look()
    if (isDone || leftMs <= 0) return found
    // progress has to grow with every message
    if (done > told) await progress(message, done, total)
    told = Math.max(told, done)
    const waitMs = Math.min(pauseMs, leftMs)
    await sleep(waitMs, signal, timers)
    signal.throwIfAborted()
    leftMs -= waitMs
    pauseMs = Math.min(pauseMs * 2, longestPauseMs)
  }
}
