import type { JournalEventData, JournalEventType, JsonObject } from '@homeward/contract/agent-platform'
import { createSafeEmitter } from '@homeward/kit'
import type { EventEmitter } from 'eventemitter3'
import type { NewJournalEvent } from '../store/ports/journal.ts'
import type { Logger } from '../ports/logger.ts'
import { reasonOf } from '../ports/reason-of.ts'
import { copyJson } from '../json/to-json.ts'

/** Something that happened. The journal has the same, numbered: `runtime.logs.list()`. */
export interface RuntimeEvent<Type extends JournalEventType = JournalEventType> {
  readonly type: Type
  /** ISO 8601 text in UTC. */
  readonly timestamp: string
  /** Run that it belongs to. */
  readonly runId?: string
  /** Particulars, without secrets. */
  readonly data: JsonObject
}

/** A model call that ended, including failed calls that were retried. Not in the journal. */
export interface ModelCallEnd {
  /** Agent that the call was made for. */
  readonly agentId: string
  /** `provider/model-id` */
  readonly model: string
  /** From sending the call to the end of its answer, in milliseconds, without pauses between attempts. */
  readonly durationMs: number
  /**
   * Absent if the model answered. Otherwise the status of the provider's response (`"429"`), the code of a `RuntimeError`,
   * or `"_OTHER"`, for example for a network failure.
   */
  readonly errorType?: string
}

/**
 * What a runtime tells its host, after it was written down. The names are those of the journal (A14):
 *
 * - `agent.started`, `agent.completed`: a run began; it ended or waits.
 * - `tool.called`, `tool.completed`: a tool call began; it ended.
 * - `approval.requested`, `approval.resolved`: a tool call waits for a person; the person has decided.
 * - `skill.changed`: a skill was installed, removed or configured.
 * - `task.*`, `schedule.*`, `channel.*`: background work, its schedule, and messaging channels.
 * - `event`: each of them.
 * - `model-call:end`: a call of a model ended. It is measured, but not in the journal.
 *
 * A listener that throws, or whose promise is rejected, is reported to the logger and stops nothing.
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
