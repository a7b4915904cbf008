import type { JournalEventData, JournalEventType, JsonObject } from '@homeward/contract/agent-platform'
import { createSafeEmitter } from '@homeward/kit'
import type { EventEmitter } from 'eventemitter3'
import type { NewJournalEvent } from '../store/ports/journal.ts'
import type { Logger } from '../ports/logger.ts'
import { reasonOf } from '../ports/reason-of.ts'
import { copyJson } from '../json/to-json.ts'

/** An event of the runtime. The journal has the same events with numbers: `runtime.logs.list()`. */
export interface RuntimeEvent<Type extends JournalEventType = JournalEventType> {
  readonly type: Type
  /** ISO 8601 text in UTC. */
  readonly timestamp: string
  /** Run of the event. */
  readonly runId?: string
  /** Data of the event, without secrets. */
  readonly data: JsonObject
}

/** A model call that ended, including failed calls that were retried. Not in the journal. */
export interface ModelCallEnd {
  /** Agent of the call. */
  readonly agentId: string
  /** `provider/model-id` */
  readonly model: string
  /** Time from sending the call to the end of the response, in milliseconds, without pauses between attempts. */
  readonly durationMs: number
  /**
   * Absent if the call succeeded. Otherwise the status of the provider's response (`"429"`), the code of a
   * `RuntimeError`, or `"_OTHER"`, for example for a network failure.
   */
  readonly errorType?: string
}

/**
 * Events that a runtime emits after they are stored. The names are those of the journal.
 *
 * - `agent.started`, `agent.completed`: a run started; it ended or waits.
 * - `tool.called`, `tool.completed`: a tool call started; it ended.
 * - `approval.requested`, `approval.resolved`: a tool call waits for approval; a person has decided.
 * - `skill.changed`: a skill was installed, removed or configured.
 * - `task.*`, `schedule.*`, `channel.*`: background work, schedules and messaging channels.
 * - `event`: each of these events.
 * - `model-call:end`: a model call ended. Not in the journal.
 *
 * The error of a listener that throws or rejects goes to the logger and has no further effect.
 */
export type RuntimeEvents = {
  [Type in JournalEventType]: (event: RuntimeEvent<Type> & { readonly data: JournalEventData[Type] }) => void
} & { event: (event: RuntimeEvent) => void; 'model-call:end': (call: ModelCallEnd) => void }

/** Tells listeners. */
export interface EventBus {
  readonly emitter: EventEmitter<RuntimeEvents>
  emit(events: readonly NewJournalEvent[]): void
  modelCallEnded(call: ModelCallEnd): void
}

export function createEventBus(logger: Logger): EventBus {
  const { events: emitter, emit } = createSafeEmitter<RuntimeEvents>((error, name) => {
    logger.error(`A listener for "${name}" failed.`, { reason: reasonOf(error) })
  })

  return {
    emitter,
    emit(events) {
      if (emitter.eventNames().length === 0) return
      const hearsAll = emitter.listenerCount('event') > 0
      for (const written of events) {
        if (!hearsAll && emitter.listenerCount(written.type) === 0) continue
        // a copy: a store in memory has the very event, and its run the very arguments
        const event = { ...written, data: copyJson(written.data) }
        emit(event.type, event)
        emit('event', event)
      }
    },
    modelCallEnded(call) {
      if (emitter.listenerCount('model-call:end') > 0) emit('model-call:end', call)
    },
  }
}
