import type { JournalEventType, JsonObject } from '@homeward/contract/agent-platform'
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

/**
 * What a runtime tells its host, after it was written down. The names are those of the journal (A14):
 *
 * - `agent.started`, `agent.completed`: a run began; it ended or waits.
 * - `tool.called`, `tool.completed`: a tool call began; it ended.
 * - `approval.requested`, `approval.resolved`: a tool call waits for a person; the person has decided.
 * - `skill.changed`: a skill was installed, removed or configured.
 * - `task.*`, `schedule.*`, `channel.*`: background work, its schedule, and messaging channels.
 * - `event`: each of them.
 *
 * A listener that throws, or whose promise is rejected, is reported to the logger and stops nothing.
 */
export type RuntimeEvents = {
  [Type in JournalEventType]: (event: RuntimeEvent<Type>) => void
} & { event: (event: RuntimeEvent) => void }

/** Tells listeners. */
export interface EventBus {
  readonly emitter: EventEmitter<RuntimeEvents>
  emit(events: readonly NewJournalEvent[]): void
}

export function createEventBus(logger: Logger): EventBus {
  const { events: emitter, emit } = createSafeEmitter<RuntimeEvents>((error, name) => {
    logger.error(`A listener for "${name}" failed.`, { reason: reasonOf(error) })
  })

  return {
    emitter,
    emit(events) {
      if (emitter.eventNames().length === 0) return
      for (const written of events) {
        // a copy: a store in memory has the very event, and its run the very arguments
        const event = { ...written, data: copyJson(written.data) }
        emit(event.type, event)
        emit('event', event)
      }
    },
  }
}
