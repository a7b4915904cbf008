import { createSafeEmitter } from '@homeward/kit'
import type { AgentEvents, AgentListener } from './agent-events.ts'

/** Emits the events of an agent. A listener that throws does not stop it. */
export interface AgentEmitter {
  on<Name extends keyof AgentEvents>(name: Name, listener: AgentListener<Name>): () => void
  emit<Name extends keyof AgentEvents>(name: Name, payload: AgentEvents[Name]): void
}

/** Builds the events of an agent. What a listener fails with is an event too, except for listeners of that event. */
export function createAgentEmitter(): AgentEmitter {
  // By name only: the emitter's own types cannot be computed from a generic name. `on` and `emit` above check them.
  const { events, emit } = createSafeEmitter<Record<string, (payload: never) => unknown>>((error, event) => {
    if (event !== 'listener:error') emit('listener:error', { event, error })
  })
  return {
    emit,
    on(name, listener) {
      // One of its own each time: a listener may be added twice and taken away once.
      const own: typeof listener = (payload) => listener(payload)
      events.on(name, own)
      return () => void events.off(name, own)
    },
  }
}
