import type { ModelMessage } from '../ports/message.ts'
import type { Redactor } from '../secrets/redact.ts'
import type { StoredEffect } from '../store/ports/effect.ts'
import type { NewAgentRun, RunProgress } from '../store/ports/run-store.ts'
import type { RunSpan } from '../store/ports/run-trace.ts'
import type { EventLog } from './events/event-log.ts'

/** A run as far as the store has it, with a log for what comes next. */
export interface LoadedRun {
  readonly run: NewAgentRun
  readonly log: EventLog
  readonly redact: Redactor
  /** `provider/model-id` */
  readonly model: string
  /** When it was taken up, in milliseconds since the epoch. */
  readonly startedAtMs: number
  readonly progress: RunProgress
  readonly messages: readonly ModelMessage[]
  readonly spans: readonly RunSpan[]
  /** What the ledger has of the calls of the newest answer. */
  readonly effects: readonly StoredEffect[]
  /** Those of them that may have been made. */
  readonly ledger: readonly StoredEffect[]
}
