import { EventEmitter } from 'eventemitter3'

/** Events that no listener can break. */
export interface SafeEmitter<Events extends EventEmitter.ValidEventTypes> {
  /** Where to listen. Emit with {@link emit} only. */
  readonly events: EventEmitter<Events>
  /** Calls all listeners of an event, in their order. */
  readonly emit: (name: string, event: unknown) => void
}

/**
 * Builds an emitter for events with one argument. With eventemitter3 alone, a listener that throws silences the later
 * ones and stops the loop that emitted.
 *
 * @param onError gets what a listener throws or rejects with, and the name of the event. Must not throw.
 * @example
 * const { events, emit } = createSafeEmitter<{ beat: (count: number) => void }>(console.error)
 * events.on('beat', (count) => console.log(count))
 * emit('beat', 1)
 */
export function createSafeEmitter<Events extends EventEmitter.ValidEventTypes>(
  onError: (error: unknown, name: string) => void,
): SafeEmitter<Events> {
  const events = new EventEmitter<Events>()
  // The emitter's argument tuple cannot be computed from a name that is known at run time only.
  const untyped = events as unknown as EventEmitter
  return {
    events,
    emit(name, event) {
      const fail = (error: unknown) => onError(error, name)
      for (const listener of untyped.listeners(name)) {
        untyped.off(name, listener, undefined, true) // one that was added by `once` has its turn now
        try {
          // An async listener gives a promise, whatever its type says.
          const outcome: unknown = listener(event)
          if (outcome instanceof Promise) outcome.catch(fail)
        } catch (error) {
          fail(error)
        }
      }
    },
  }
}
