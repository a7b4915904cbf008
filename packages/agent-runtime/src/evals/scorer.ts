import type { GraphRunResult, RunResult } from '@homeward/contract/agent-platform'
import type { ToolEffects } from '../ports/tool.ts'
import type { AgentRuntime } from '../runtime/runtime.ts'
import type { EvalCase } from './eval-case.ts'

/** The parts of a runtime that evals use. */
export type EvalRuntime = Pick<
  AgentRuntime,
  'run' | 'runs' | 'graphs' | 'logs' | 'conversations' | 'files' | 'whatIfs'
>

/** A tool call that a model requested, in the order of the calls. */
export interface EvalToolCall {
  /** Run of the call: the attempt's own run, or that of a sub-agent. */
  readonly runId: string
  readonly tool: string
  /** Effects of the tool. Absent if no tool has this name. */
  readonly effects?: ToolEffects
  /** Whether the run had read untrusted content. */
  readonly tainted: boolean
  /** Whether the call waited for a person's approval. */
  readonly asked: boolean
}

/** One run of a case, for scorers. */
export interface ScoredAttempt {
  readonly case: EvalCase
  /**
   * Result of the run. A run that stopped for an approval has `stop_reason` `approval`. For a graph: its output and
   * usage, `data` of the node with the output, and no `steps`.
   */
  readonly result: RunResult
  /** Result of a graph run with the results of its nodes. Absent for agents. */
  readonly graph?: GraphRunResult
  /** Tool calls of the run, of the nodes of a graph, and of sub-agents, in order. */
  readonly calls: readonly EvalToolCall[]
  readonly durationMs: number
  /** Runtime for grading agents. */
  readonly runtime: EvalRuntime
}

/** Score of an attempt. */
export interface Score {
  /** From 0 to 1. */
  readonly value: number
  /** Whether the attempt passes. @default true only if `value` is 1 */
  readonly passed?: boolean
  /** Reason for people, cut to 2,000 characters. */
  readonly reason?: string
}

/** Scores an attempt. Write your own, or use a function of this entry point that creates one. */
export interface Scorer {
  /** Name in reports, unique among the scorers of a case. */
  readonly name: string
  /**
   * Scores an attempt. An error counts as a score of 0, with the error's message as the reason.
   *
   * @param signal aborts when the evals are aborted.
   */
  score(attempt: ScoredAttempt, signal: AbortSignal): Score | Promise<Score>
}
