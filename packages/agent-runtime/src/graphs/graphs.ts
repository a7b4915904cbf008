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
  /** Cancels the run when it aborts. To stop reading only, do not abort it. */
  readonly signal?: AbortSignal
  /** How it is started. @default api */
  readonly source?: RunSource
  /** Whether the input may come from a stranger (A20). @default false */
  readonly tainted?: boolean
}

/**
 * The graphs of a runtime (A10): see `createGraphs`.
 *
 * A node begins once all nodes before it have ended. It runs when at least one edge to it is taken; it is skipped when
 * none is. An edge is taken when the node it comes from completed and the edge's condition holds for its output.
 *
 * What happens behind a node that failed after all its attempts is the node's `on_error`:
 *
 * - `fail`: everything behind it is skipped, directly or through others. What is independent of it still runs.
 * - `skip`: as if it had been skipped itself: what is behind it still runs when another edge leads there.
 * - `continue`: its edges are taken, with `(<node> failed: <why>)` as its output.
 *
 * Either way the node has failed, and a graph is a success only when no node has.
 */
export interface Graphs {
  /** All graphs, oldest first. */
  list(signal?: AbortSignal): Promise<Graph[]>
  /** @throws {RuntimeError} `not_found` */
  get(id: string, signal?: AbortSignal): Promise<Graph>
  /** @returns undefined when there is none. */
  find(id: string, signal?: AbortSignal): Promise<Graph | undefined>
  /**
   * Checks a graph and creates it. Without an `id`, the runtime generates one.
   *
   * @throws {RuntimeError} `validation_error` with `details.problems`, `conflict`.
   */
  create(input: GraphInput, signal?: AbortSignal): Promise<Graph>
  /**
   * Changes a graph. Absent fields keep their value, and `null` clears a field. `nodes` and `edges` are each replaced
   * completely. The changed graph is checked like a new one.
   *
   * @throws {RuntimeError} `validation_error` with `details.problems`, `not_found`.
   */
  update(id: string, patch: GraphPatch, signal?: AbortSignal): Promise<Graph>
  /**
   * Creates the graph of a definition, or updates the stored graph to match it. Fields that the definition leaves out are
   * cleared. Writes nothing if nothing changed. From then on, this process knows the functions of the graph, so put your
   * graphs before `start()`, in every process. A resumed run waits up to 10 seconds for a missing function.
   *
   * @throws {RuntimeError} `validation_error` with `details.problems`, `conflict`.
   */
  put<Id extends string>(definition: GraphDefinition<Id>, signal?: AbortSignal): Promise<Graph>
  /** Deletes a graph. Its runs that are under way continue. @throws {RuntimeError} `not_found` */
  delete(id: string, signal?: AbortSignal): Promise<void>
  /**
   * Starts a run of the current graph, or joins the run with the same idempotency key. Resolves when the run is stored. Use
   * `runs.find`, `runs.events` and `runs.cancel` as for runs of agents.
   *
   * @throws {RuntimeError} `validation_error`, `not_found`, `conflict` when the key belongs to another run, `closed`.
   */
  start(request: GraphRunRequest, options?: GraphStartOptions): Promise<GraphHandle>
  /**
   * Starts the run of a graph again, as a run of its own. With `from: 'failed'`, nodes that completed keep their results unless a node
   * before them failed, and the graph stays as it was in that run. Otherwise the whole graph runs, as it is now. Agents are always as
   * they are now. `isNew` is false if the idempotency key returned an earlier run.
   *
   * @throws {RuntimeError} `not_found`; `validation_error` for the run of an agent; `conflict` if the run has not ended or no node of it
   * failed, or if the key belongs to another run; `closed`.
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
