import type { ArgumentChecks } from './calls/check-arguments.ts'
import type { RunWatchers } from './events/run-watchers.ts'
import type { LiveRuns } from './live-runs.ts'
import type { EndedRun } from './runs.ts'
import type { RunsContext } from './runs-options.ts'

/** What the parts of `createRuns` work with. */
export interface RunsParts {
  readonly context: RunsContext
  readonly live: LiveRuns
  readonly watchers: RunWatchers
  readonly checks: ArgumentChecks
  /** Aborts when the runtime closes. */
  readonly closing: AbortSignal
  /** Tells those who want to hear of it. */
  readonly onEnded: (run: EndedRun) => void
}
