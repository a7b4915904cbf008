import type { Json, RunRequest } from '@homeward/contract/agent-platform'
import type { Scorer } from './scorer.ts'

/** Expected results of a case. Scorers without an expectation of their own compare with it. */
export interface EvalExpectation {
  /** Text that the output must contain: the default of `outputIncludes`. */
  readonly output?: string
  /** Expected tools in the order of their calls: the default of `usesTools`. */
  readonly tools?: readonly string[]
  /** Expected structured output, for your own scorers. */
  readonly data?: Json
}

/**
 * A named task: the fields of a run request, and the expected results. For a graph, `task` is the input, and of the
 * other request fields only `user_id`, `metadata` and `budget` apply.
 */
export interface EvalCase extends Omit<
  RunRequest,
  'agent_id' | 'conversation_id' | 'idempotency_key' | 'regenerate'
> {
  /** Unique among the cases. */
  readonly name: string
  /** Id of the agent. @default the `agent` of the evals */
  readonly agent_id?: string
  /** Id of a graph to run instead of an agent. @default the `graph` of the evals */
  readonly graph_id?: string
  /** Expected results of this case. @default no expectations */
  readonly expected?: EvalExpectation
  /** Scorers for this case, in addition to those for all cases. @default no further scorers */
  readonly scorers?: readonly Scorer[]
}
