import type { GraphRunResult, RunResult } from '@homeward/contract/agent-platform'
import type { ToolEffects } from '../ports/tool.ts'
import type { AgentRuntime } from '../runtime/runtime.ts'
import type { EvalCase } from './eval-case.ts'

/** The parts of a runtime that evals use. */
export type EvalRuntime = Pick<
  AgentRuntime,
  'run' | 'runs' | 'graphs' | 'logs' | 'conversations' | 'files' | 'whatIfs'
>

/** A tool call that a model made or asked for, in the order of the calls. */
export interface EvalToolCall {
  /** Run that it belongs to: the attempt's own run, or that of a sub-agent. */
  readonly runId: string
  readonly tool: string
  /** What the tool does to the world. Absent if no tool has this name. */
  readonly effects?: ToolEffects
  /** Whether the run had read content that a stranger may have made. */
  readonly tainted: boolean
  /** Whether the call stopped and waited for a person's approval. */
  readonly asked: boolean
}

/** One run of a case, for scorers. */
export interface ScoredAttempt {
  readonly case: EvalCase
  /**
   * How the run ended. A run that stopped for an approval has `stop_reason` `approval`. For a graph, its output and usage, `data` of the
   * node that gave the output, and no `steps`.
   */
  readonly result: RunResult
  /** How the run of a graph ended, with the result of each node. Absent for agents. */
  readonly graph?: GraphRunResult
  /** Tool calls of the run, of the nodes of a graph, and of sub-agents, in order. */
  readonly calls: readonly EvalToolCall[]
  readonly durationMs: number
  /** Runs agents that grade. */
  readonly runtime: EvalRuntime
}

/** How good an attempt is. */
export interface Score {
  /** From 0 to 1. */
  readonly value: number
  /** Whether the attempt passes. @default only with `value` 1 */
  readonly passed?: boolean
  /** For people: why. At most 2,000 characters are kept. */
  readonly reason?: string
}

/** Says how good an attempt is. Write your own, or use the functions of this entry that make one. */
export interface Scorer {
  /** Unique among the scorers of a case; what reports name it by. */
  readonly name: string
  /**
   * Scores an attempt. An error counts as a score of 0, with the error's message as the reason.
   *
   * @param signal aborts when the evals are aborted.
   */
  score(attempt: ScoredAttempt, signal: AbortSignal): Score | Promise<Score>
}
