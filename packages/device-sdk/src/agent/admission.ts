import { type AutoResetEvent, createAutoResetEvent, onAbort } from '@homeward/kit'
import { DeviceCloudError } from '../device-cloud-error.ts'
import type { Timers } from '../ports/index.ts'

/** Whether the cloud accepts this device. All loops of an agent share it; the heartbeats decide. */
export interface Admission {
  /** Resolves once the cloud accepts this device; at once while it does. Never rejects. */
  admitted(signal: AbortSignal): Promise<void>
  /** Stops all work when `error` is a refused key (C16). */
  noteError(error: unknown): void
  /** Lets the loops work. @returns whether the key was refused before. */
  admit(): boolean
  /** Lets nobody work until the next {@link Admission.admit}. */
  close(): void
  /** Why the key was refused; undefined if it was not. */
  refusal(): DeviceCloudError | undefined
  /** Set when the key is refused. */
  readonly refused: AutoResetEvent
}

/** Builds it, closed. `onRefused` hears that the key was refused. */
export function createAdmission(timers: Timers, onRefused: (error: DeviceCloudError) => void): Admission {
  const refused = createAutoResetEvent(timers)
  const waiters = new Set<() => void>()
  let isOpen = false
  let refusal: DeviceCloudError | undefined
  return {
    refused,
    refusal: () => refusal,
    admitted: (signal) =>
      new Promise((resolve) => {
        if (isOpen || signal.aborted) return resolve()
        const wake = () => {
          waiters.delete(wake)
          forget()
          resolve()
        }
        waiters.add(wake)
        const forget = onAbort(signal, wake)
      }),
    noteError(error) {
      if (!DeviceCloudError.is(error) || error.code !== 'UNAUTHORIZED' || refusal) return
      refusal = error
      isOpen = false
      refused.set()
      onRefused(error)
    },
    admit() {
      const wasRefused = refusal !== undefined
      refusal = undefined
      isOpen = true
      for (const wake of waiters) wake()
      return wasRefused
    },
    close() {
      refusal = undefined
      isOpen = false
    },
  }
}
