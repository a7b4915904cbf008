import { EventEmitter } from 'eventemitter3'

/** Emits events; errors of listeners do not reach the emitting code. */
export interface SafeEmitter<Events extends EventEmitter.ValidEventTypes> {
  /** The emitter to add listeners to. Emit only with {@link emit}. */
  readonly events: EventEmitter<Events>
  /** Calls all listeners of an event, in the order of registration. */
  readonly emit: (name: string, event: unknown) => void
}

/**
 * Creates an emitter for events with one argument, on which a failing listener has no effect on the others.
 *
 * With eventemitter3 alone, a listener that throws skips the later listeners and stops the loop that emitted.
 *
 * @param onError receives the error of a listener and the name of the event. Must not throw.
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
