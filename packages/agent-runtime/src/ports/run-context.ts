import type { JsonObject } from '@homeward/contract/agent-platform'

/** The identifiers of a run. They are stored with it, so they are the same after a restart and in every process. */
export interface RunIdentity {
  readonly runId: string
  readonly agentId: string
  /** Id chosen by the caller, or created by the platform. */
  readonly conversationId: string
  /** User of the run's request. Absent if the request has none. */
  readonly userId?: string
  /** The `metadata` of the run's request, or of the run, task or graph that started it. `{}` if missing. */
  readonly metadata: Readonly<JsonObject>
}

/** A run as tools, guards and instructions see it. */
export interface RunContext<Context = unknown> extends RunIdentity {
  /** The value that your `contextFor` built for this run, such as database handles. `undefined` without `contextFor`. */
  readonly context: Context
}
