import type {
  Graph,
  GraphInput,
  GraphPatch,
  GraphRunRequest,
  GraphRunResult,
  RerunRequest,
  RunSource,
} from '@homeward/contract/agent-platform'
import type { GraphDefinition } from './graph-definition.ts'
import type { GraphHandle } from '../runs/runs.ts'

/** Options for starting a graph, in addition to the request. */
export interface GraphStartOptions {
  /** Cancels the run when it aborts. Do not abort it only to stop reading. */
  readonly signal?: AbortSignal
  /** Value of `source` for the run. @default api */
  readonly source?: RunSource
  /** Whether the input may contain untrusted content. @default false */
  readonly tainted?: boolean
}

/**
 * The graphs of a runtime.
 *
 * A node starts once all preceding nodes have ended. It runs if at least one incoming edge is taken, else it is
 * skipped. An edge is taken if its source node completed and its condition holds for the output.
 *
 * If a node fails after all attempts, its `on_error` decides:
 *
 * - `fail`: all following nodes are skipped, directly or through others. Independent nodes still run.
 * - `skip`: the node counts as skipped, so following nodes still run if another edge leads to them.
 * - `continue`: its edges are taken, with `(<node> failed: <why>)` as its output.
 *
 * In each case the node has failed. A graph succeeds only if no node has failed.
 */
export interface Graphs {
  /** Lists all graphs, oldest first. */
  list(signal?: AbortSignal): Promise<Graph[]>
  /** Returns a graph. @throws {RuntimeError} `not_found` */
  get(id: string, signal?: AbortSignal): Promise<Graph>
  /** Returns a graph. @returns undefined if it does not exist. */
  find(id: string, signal?: AbortSignal): Promise<Graph | undefined>
  /**
   * Validates and creates a graph. Without an `id`, the runtime generates one.
   *
   * @throws {RuntimeError} `validation_error` with `details.problems`, `conflict`.
   */
  create(input: GraphInput, signal?: AbortSignal): Promise<Graph>
  /**
   * Changes a graph. Absent fields keep their value, and `null` clears a field. `nodes` and `edges` are each replaced
   * completely. The changed graph is validated like a new one.
   *
   * @throws {RuntimeError} `validation_error` with `details.problems`, `not_found`.
   */
  update(id: string, patch: GraphPatch, signal?: AbortSignal): Promise<Graph>
  /**
   * Creates the graph of a definition, or updates the stored graph to match it.
   *
   * Fields missing in the definition are cleared. Writes nothing if nothing changed. From then on, this process has
   * the functions of the graph, so put your graphs before `start()`, in every process. A resumed run waits up to 10
   * seconds for a missing function.
   *
   * @throws {RuntimeError} `validation_error` with `details.problems`, `conflict`.
   */
  put<Id extends string>(definition: GraphDefinition<Id>, signal?: AbortSignal): Promise<Graph>
  /** Deletes a graph. Its active runs continue. @throws {RuntimeError} `not_found` */
  delete(id: string, signal?: AbortSignal): Promise<void>
  /**
   * Starts a run of the current graph, or joins the run with the same idempotency key. Resolves when the run is
   * stored. Use `runs.find`, `runs.events` and `runs.cancel` as for runs of agents.
   *
   * @throws {RuntimeError} `validation_error`, `not_found`, `conflict` if the key belongs to another run, `closed`.
   */
  start(request: GraphRunRequest, options?: GraphStartOptions): Promise<GraphHandle>
  /**
   * Starts a graph run again, as a new run.
   *
   * With `from: 'failed'`, completed nodes keep their results unless a node before them failed, and the graph is the
   * one of that run. Otherwise the whole current graph runs. Agents are always the current ones. `isNew` is false if
   * the idempotency key returned an earlier run.
   *
   * @throws {RuntimeError} `not_found`; `validation_error` for the run of an agent; `conflict` if the run has not
   * ended or none of its nodes failed, or if the key belongs to another run; `closed`.
   */
  rerun(
    runId: string,
    request?: RerunRequest,
    signal?: AbortSignal,
  ): Promise<GraphHandle & { readonly isNew: boolean }>
  /**
   * Runs a graph and returns its result, or its state if it waits (`stop_reason`). If nodes fail, the method
   * returns a result and does not throw.
   *
   * @throws {RuntimeError} as {@link start}.
   */
  run(request: GraphRunRequest, options?: GraphStartOptions): Promise<GraphRunResult>
}
