import { onAbort } from '@homeward/kit'
import type { DeviceCloudError } from '../device-cloud-error.ts'

/** Whether all work is asked for by one request, or by heartbeats and two lists. */
export interface WorkChannel {
  /** Opens it unless the cloud lately said that it has no such request. @returns whether it is open */
  open(): boolean
  /** Closes it for an hour if the cloud has no such request. @returns whether that is what `error` says */
  closeFor(error: DeviceCloudError): boolean
  /** Resolves once it is open, or closed; at once if it is. Never rejects. */
  until(isOpen: boolean, signal: AbortSignal): Promise<void>
}

/** A cloud that is updated meanwhile is found then. */
const closedMs = 3_600_000

/** Builds it, closed. `onClose` is called when the heartbeats have to resume. */
export function createWorkChannel(isWanted: boolean, now: () => number, onClose: () => void): WorkChannel {
  const waiters = new Set<() => void>()
  let isOpen = false
  let closedAtMs: number | undefined

  function turn(open: boolean): void {
    isOpen = open
    for (const wake of waiters) wake()
  }

  return {
    open() {
      const isDue = closedAtMs === undefined || Math.abs(now() - closedAtMs) >= closedMs
      if (isWanted && isDue && !isOpen) turn(true)
      return isOpen
    },
    closeFor({ status }) {
      if (status !== 404 && status !== 405) return false
      closedAtMs = now()
      turn(false)
      onClose()
      return true
    },
    until: (wanted, signal) =>
      new Promise((resolve) => {
        if (isOpen === wanted || signal.aborted) return resolve()
        const wake = () => {
          waiters.delete(wake)
          forget()
          resolve()
        }
        waiters.add(wake)
        const forget = onAbort(signal, wake)
      }),
  }
}
