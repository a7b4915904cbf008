import { EventEmitter } from 'eventemitter3'
import type { AgentEvents, AgentListener } from './agent-events.ts'

/** Events that no listener can break. */
export interface SafeEmitter {
  on<Name extends keyof AgentEvents>(name: Name, listener: AgentListener<Name>): () => void
  emit<Name extends keyof AgentEvents>(name: Name, payload: AgentEvents[Name]): void
}

/** In eventemitter3 alone a throwing listener silences the later ones and stops whoever emitted. */
export function createSafeEmitter(): SafeEmitter {
  const emitter = new EventEmitter()
  const emit: SafeEmitter['emit'] = (name, payload) => void emitter.emit(name, payload)
  return {
    emit,
    on(name, listener) {
      const fail = (error: unknown) => {
        if (name !== 'listener:error') emit('listener:error', { event: name, error })
      }
      const guarded = (payload: AgentEvents[typeof name]) => {
        try {
          // An async listener gives a promise, whatever its type says.
          const outcome: unknown = listener(payload)
          if (outcome instanceof Promise) outcome.catch(fail)
        } catch (error) {
          fail(error)
        }
      }
      emitter.on(name, guarded)
      return () => void emitter.off(name, guarded)
    },
  }
}
