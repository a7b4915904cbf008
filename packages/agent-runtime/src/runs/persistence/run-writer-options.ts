import type { RunEvent } from '@homeward/contract/agent-platform'
import type { ModelMessage } from '../../ports/message.ts'
import type { StoredEffect } from '../../store/ports/effect.ts'
import type { RunFinish, RunProgress } from '../../store/ports/run-store.ts'
import type { RunSpan } from '../../store/ports/run-trace.ts'
import type { EventLog } from '../events/event-log.ts'
import type { RunsContext } from '../runs-options.ts'

/** What a `RunWriter` is built from. */
export interface RunWriterOptions {
  readonly context: Pick<RunsContext, 'store' | 'leases' | 'logger' | 'random' | 'timestamp'>
  readonly runId: string
  /** Events of the run, which are written with its steps. */
  readonly log: EventLog
  /** How far the run is, without the number of its last event. */
  readonly progress: () => Omit<RunProgress, 'lastSeq'>
  /** Messages that the store has. @default none */
  readonly messages?: readonly ModelMessage[]
  /** Spans that the store has. @default none */
  readonly spans?: readonly RunSpan[]
  /** Ids of the newest answer's calls that were announced. @default none */
  readonly announced?: readonly string[]
  /** What the ledger has of calls without a result. @default nothing */
  readonly ledger?: readonly StoredEffect[]
  /** Ends the repetition of steps that fail. @default never */
  readonly signal?: AbortSignal
}

/** How a run ends: what the writer does not know itself. */
export interface RunEnding extends Pick<
  RunFinish,
  'owner' | 'status' | 'result' | 'finishedAt' | 'durationMs' | 'searched' | 'conversation'
> {
  /** Last event of the run. */
  readonly last: RunEvent
}
