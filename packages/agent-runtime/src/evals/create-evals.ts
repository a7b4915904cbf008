import type { WhatIf, WhatIfRequest } from '@homeward/contract/agent-platform'
import PQueue from 'p-queue'
import { RuntimeError } from '../ports/runtime-error.ts'
import { caseFromRun } from './case-from-run.ts'
import type { EvalCase } from './eval-case.ts'
import { toCaseReport, toReport, type EvalAttempt, type EvalReport } from './eval-report.ts'
import { runAttempt } from './run-attempt.ts'
import type { EvalRuntime, Scorer } from './scorer.ts'

const maxCases = 10_000
const maxRepeat = 1000
const maxConcurrency = 100
/** A report holds all of them. */
const maxAttempts = 100_000

/** Progress of evals. */
export interface EvalProgress {
  /** Number of attempts that have ended. */
  readonly done: number
  /** Number of all attempts: cases times repeats. */
  readonly total: number
  /** Case of the last attempt. */
  readonly case: string
  readonly attempt: EvalAttempt
}

/** Cases to run, number of repeats, and scorers. */
export interface EvalRunOptions {
  /** Dataset: 1 to 10,000 cases with different names. */
  readonly cases: readonly EvalCase[]
  /** Id of the agent for cases without an agent and a graph. @default no agent */
  readonly agent?: string
  /** Id of the graph for cases without an agent and a graph. Cannot be combined with `agent`. @default no graph */
  readonly graph?: string
  /** Scorers for every case. A case without any scorer passes if its run does not fail. @default no scorers */
  readonly scorers?: readonly Scorer[]
  /**
   * Number of runs per case, 1 to 1,000, because models answer differently each time. All cases together: at most
   * 100,000 runs.
   *
   * @default 1
   */
  readonly repeat?: number
  /** Maximum number of parallel runs, 1 to 100. @default 4 */
  readonly concurrency?: number
  /** Cancels active runs and starts no more. @default never */
  readonly signal?: AbortSignal
  /** Called after each attempt. Its errors are ignored. @default not called */
  readonly onProgress?: (progress: EvalProgress) => void
}

/** Runs to replay, and changes of the agent. */
export interface WhatIfOptions extends WhatIfRequest {
  /** Id of the agent. */
  readonly agent: string
  /** Stops waiting. @default never */
  readonly signal?: AbortSignal
}

/** Options of {@link createEvals}. */
export interface EvalsOptions {
  /** Runtime of the measured agents. Use a separate runtime, because runs may write memories and files. */
  readonly runtime: EvalRuntime
  /** Returns the milliseconds since the epoch. @default Date.now */
  readonly now?: () => number
}

/** Measures agents and graphs: see {@link createEvals}. */
export interface Evals {
  /**
   * Runs all cases and scores them.
   *
   * A problem of one attempt is in its report, and the others continue. A run that stops for an approval is canceled
   * and scored in this state.
   *
   * @throws {RuntimeError} `validation_error`
   * @throws the reason of `signal`
   */
  run(options: EvalRunOptions): Promise<EvalReport>
  /**
   * Replays stored runs of an agent with a changed agent, and compares the results: see `runtime.whatIfs`. No tool is
   * called.
   *
   * @throws {RuntimeError} `validation_error`, `not_found`
   * @throws the reason of `signal`, which only ends the waiting
   */
  whatIf(options: WhatIfOptions): Promise<WhatIf>
  /**
   * Creates a case from an ended run.
   *
   * The case has the task with files, the conversation before it, and as `expected` the output and the called tools;
   * for a graph, only the output. It is plain JSON unless it has files. Messages of a request with `store: false` are
   * not stored, so they are missing.
   *
   * @throws {RuntimeError} `not_found`; `validation_error` for a run that has not ended.
   */
  caseFrom(runId: string, signal?: AbortSignal): Promise<EvalCase>
}

/**
 * Creates evals for the agents and graphs of a runtime.
 *
 * @example
 * ```ts
 * import { createRuntime } from '@homeward/agent-runtime'
 * import { createEvals, formatReport, outputIncludes } from '@homeward/agent-runtime/evals'
 *
 * const runtime = createRuntime()
 * await runtime.agents.put({ id: 'parrot', model: 'test/echo' })
 * const cases = [{ name: 'greets', task: 'Say hello', scorers: [outputIncludes('hello')] }]
 * console.log(formatReport(await createEvals({ runtime }).run({ agent: 'parrot', cases, repeat: 5 })))
 * await runtime.close()
 * ```
 */
export function createEvals({ runtime, now = Date.now }: EvalsOptions): Evals {
  return {
    async run(options) {
      const { cases, agent, graph, scorers = [], repeat = 1, concurrency = 4, onProgress } = options
      const { signal = new AbortController().signal } = options
      checkOptions(options)
      const startedAtMs = now()
      const context = { runtime, agent, graph, scorers, now, signal }
      const queue = new PQueue({ concurrency })
      let done = 0
      const attempts = cases.map((given) =>
        Array.from({ length: repeat }, async () => {
          const attempt = await queue.add(async () => {
            signal.throwIfAborted()
            return runAttempt(context, given)
          })
          done += 1
          notify(onProgress, { done, total: cases.length * repeat, case: given.name, attempt })
          return attempt
        }),
      )
      const settled = await Promise.all(attempts.map((one) => Promise.allSettled(one)))
      signal.throwIfAborted()
      const reports = cases.map(({ name }, index) =>
        toCaseReport(
          name,
          (settled[index] ?? []).flatMap((one) => (one.status === 'fulfilled' ? [one.value] : [])),
        ),
      )
      return toReport(startedAtMs, now(), reports)
    },
    async whatIf({ agent, signal, ...request }) {
      const { id } = await runtime.whatIfs.start(agent, request)
      return runtime.whatIfs.finished(id, signal)
    },
    caseFrom: (runId, signal) => caseFromRun(runtime, runId, signal),
  }
}

function notify(onProgress: EvalRunOptions['onProgress'], progress: EvalProgress): void {
  try {
    onProgress?.(progress)
  } catch {
    // a listener must not stop the evals
  }
}

function checkOptions(options: EvalRunOptions): void {
  const { cases, agent, graph, scorers = [], repeat = 1, concurrency = 4 } = options
  checkCount('"cases"', cases.length, maxCases)
  checkCount('"repeat"', repeat, maxRepeat)
  checkCount('cases times "repeat"', cases.length * repeat, maxAttempts)
  checkCount('"concurrency"', concurrency, maxConcurrency)
  checkUnique('cases', cases)
  if (agent !== undefined && graph !== undefined)
    throw invalid('"agent" and "graph" are both set. Set one of them')
  for (const { name, agent_id, graph_id, scorers: own = [] } of cases) {
    if (agent_id !== undefined && graph_id !== undefined)
      throw invalid(`the case "${name}" has both "agent_id" and "graph_id". Set one of them`)
    if ((agent_id ?? graph_id ?? agent ?? graph) === undefined)
      throw invalid(
        `the case "${name}" has no agent. Set "agent" or "graph", or "agent_id" or "graph_id" of the case`,
      )
    checkUnique(`scorers of the case "${name}"`, [...scorers, ...own])
  }
}

function checkCount(name: string, count: number, most: number): void {
  if (!Number.isInteger(count) || count < 1 || count > most)
    throw invalid(`${name} must be 1 to ${most}, got ${count}`)
}

function checkUnique(what: string, named: readonly { readonly name: string }[]): void {
  const seen = new Set<string>()
  for (const { name } of named) {
    if (typeof name !== 'string' || name === '') throw invalid(`each of the ${what} must have a name`)
    if (seen.has(name)) throw invalid(`two of the ${what} are named "${name}". Give each its own name`)
    seen.add(name)
  }
}

const invalid = (problem: string) =>
  new RuntimeError('validation_error', `Running the evals failed: ${problem}.`)
