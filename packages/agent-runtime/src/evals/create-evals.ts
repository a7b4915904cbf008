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

/** What was done so far. */
export interface EvalProgress {
  /** Attempts that have ended. */
  readonly done: number
  /** Attempts in all: cases times repeats. */
  readonly total: number
  /** Case of the attempt that has just ended. */
  readonly case: string
  readonly attempt: EvalAttempt
}

/** Which cases are run, how often, and what measures them. */
export interface EvalRunOptions {
  /** The dataset: 1 to 10,000 cases with different names. */
  readonly cases: readonly EvalCase[]
  /** Id of the agent of all cases that name no agent and no graph. @default none */
  readonly agent?: string
  /** Id of the graph of all cases that name no agent and no graph. Not together with `agent`. @default none */
  readonly graph?: string
  /** Measure every case. A case without any scorer passes if its run does not fail. @default none */
  readonly scorers?: readonly Scorer[]
  /** Runs of each case: models answer differently each time. 1 to 1,000, and 100,000 runs of all cases. @default 1 */
  readonly repeat?: number
  /** Runs at the same time: 1 to 100. @default 4 */
  readonly concurrency?: number
  /** Cancels the runs under way and starts no more. @default never */
  readonly signal?: AbortSignal
  /** Called after each attempt. An error that it throws is ignored. @default nobody is told */
  readonly onProgress?: (progress: EvalProgress) => void
}

/** Which runs are played, and with which changes. */
export interface WhatIfOptions extends WhatIfRequest {
  /** Id of the agent. */
  readonly agent: string
  /** Ends the waiting. @default never */
  readonly signal?: AbortSignal
}

/** What evals are built from. */
export interface EvalsOptions {
  /** Whose agents are measured: use a runtime of its own, as runs may write memories and files. */
  readonly runtime: EvalRuntime
  /** Milliseconds since the epoch. @default Date.now */
  readonly now?: () => number
}

/** Measures agents and graphs: see {@link createEvals}. */
export interface Evals {
  /**
   * Runs all cases and scores them. What goes wrong with one attempt is in its report, and the others go on. A run that stops for an
   * approval is canceled, and scored as it is.
   *
   * @throws {RuntimeError} `validation_error`
   * @throws the reason of `signal`
   */
  run(options: EvalRunOptions): Promise<EvalReport>
  /**
   * Plays stored runs of an agent with a changed agent, and compares: see `runtime.whatIfs`. No tool is called.
   *
   * @throws {RuntimeError} `validation_error`, `not_found`
   * @throws the reason of `signal`, which only ends the waiting
   */
  whatIf(options: WhatIfOptions): Promise<WhatIf>
  /**
   * Makes a case of a run that has ended: its task with files and the conversation before it, and as `expected` its output and the
   * tools that it called. For the run of a graph, `expected` is its output. It is plain JSON, unless there are files. Messages that a request brought along with `store: false` are not stored, so they are missing.
   *
   * @throws {RuntimeError} `not_found`; `validation_error` for a run that has not ended.
   */
  caseFrom(runId: string, signal?: AbortSignal): Promise<EvalCase>
}

/**
 * Builds what measures the agents and graphs of a runtime.
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
