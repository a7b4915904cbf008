import { platformTimers, type Timers } from './timers.ts'

/** How often the access of an open stream or socket is checked again, in milliseconds. */
const recheckMs = 10_000

/**
 * Checks every 10 seconds whether an open stream or socket may continue, until `mayContinue` returns false or the
 * returned function is called.
 *
 * @param mayContinue Must not reject.
 * @returns a function that stops the checks
 */
export function watchAccess(
  mayContinue: () => Promise<boolean>,
  onEnd: () => void,
  timers: Timers = platformTimers,
): () => void {
  let isOver = false
  let timer: unknown
  const later = () => {
    timer = timers.setTimeout(() => {
      void mayContinue().then((may) => {
        if (isOver) return
        if (may) later()
        else onEnd()
      })
    }, recheckMs)
    ;(timer as { unref?(): void }).unref?.() // a stream keeps its own connection; other runtimes give numbers
  }
  later()
  return () => {
    isOver = true
    timers.clearTimeout(timer)
  }
}
