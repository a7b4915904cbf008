import type { Json, RunRequest } from '@homeward/contract/agent-platform'
import type { Scorer } from './scorer.ts'

/** Expected results of a case. Scorers without an expectation of their own compare with it. */
export interface EvalExpectation {
  /** Text that the output holds: the default of `outputIncludes`. */
  readonly output?: string
  /** Tools in the order of their calls: the default of `usesTools`. */
  readonly tools?: readonly string[]
  /** Structured output. For scorers of your own. */
  readonly data?: Json
}

/**
 * A task with a name: the fields of a run's request, and what its answer is measured by. For a graph, `task` is the input, and of the
 * other fields of a request only `user_id`, `metadata` and `budget` count.
 */
export interface EvalCase extends Omit<
  RunRequest,
  'agent_id' | 'conversation_id' | 'idempotency_key' | 'regenerate'
> {
  /** Unique among the cases. */
  readonly name: string
  /** @default the `agent` of the evals */
  readonly agent_id?: string
  /** Runs this graph instead of an agent. @default the `graph` of the evals */
  readonly graph_id?: string
  /** Expected results of this case. @default none */
  readonly expected?: EvalExpectation
  /** Scorers for this case, in addition to those for all cases. @default none */
  readonly scorers?: readonly Scorer[]
}
