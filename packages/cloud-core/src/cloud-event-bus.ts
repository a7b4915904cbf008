import { EventEmitter } from 'eventemitter3'
import type { CloudEvents } from './cloud-events.ts'

/** Tells listeners what happened. */
export interface CloudEventBus {
  /** Where hosts listen. */
  readonly events: EventEmitter<CloudEvents>
  /** Tells all who listen. One that throws, or whose promise is rejected, stops nothing: `onError` hears of it. */
  readonly emit: <Name extends keyof CloudEvents>(name: Name, event: Parameters<CloudEvents[Name]>[0]) => void
}

/** Builds the bus of one cloud. */
export function createCloudEventBus(onError: (error: unknown) => void): CloudEventBus {
  const events = new EventEmitter<CloudEvents>()
  // The emitter's argument tuple cannot be computed from a generic name; the signature of `emit` checks it.
  const untyped = events as unknown as EventEmitter
  return {
    events,
    emit(name, event) {
      // One by one: the emitter itself stops at the first that throws.
      for (const listener of untyped.listeners(name)) {
        untyped.off(name, listener, undefined, true) // one that was added by `once` has its turn now
        try {
          // An async listener gives a promise, whatever its type says.
          const outcome: unknown = listener(event)
          if (outcome instanceof Promise) outcome.catch(onError)
        } catch (error) {
          onError(error)
        }
      }
    },
  }
}
