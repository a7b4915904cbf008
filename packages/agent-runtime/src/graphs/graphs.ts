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

/** What a start of a graph may add to its request. */
export interface GraphStartOptions {
  /** Cancels the run when it aborts. A caller that only stops listening has to leave it alone. */
  readonly signal?: AbortSignal
  /** How it is started. @default api */
  readonly source?: RunSource
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
   * Creates a graph, once it has been checked; without an `id` it is given one.
   *
   * @throws {RuntimeError} `validation_error` with `details.problems`, `conflict`.
   */
  create(input: GraphInput, signal?: AbortSignal): Promise<Graph>
  /**
   * Changes a graph: absent fields keep their value, `null` clears; nodes and edges are each replaced as a whole. The
   * graph that comes of it is checked like a new one.
   *
   * @throws {RuntimeError} `validation_error` with `details.problems`, `not_found`.
   */
  update(id: string, patch: GraphPatch, signal?: AbortSignal): Promise<Graph>
  /**
   * Creates the graph of a definition, or brings the stored one to it: fields that the definition leaves out are cleared. Nothing is
   * written if nothing changed. Its functions are known to this process from then on, so put your graphs before `start()`, in
   * every process. A run that is resumed waits up to 10 seconds for a function that is missing.
   *
   * @throws {RuntimeError} `validation_error` with `details.problems`, `conflict`.
   */
  put<Id extends string>(definition: GraphDefinition<Id>, signal?: AbortSignal): Promise<Graph>
  /** Deletes a graph. Its runs that are under way continue. @throws {RuntimeError} `not_found` */
  delete(id: string, signal?: AbortSignal): Promise<void>
  /**
   * Starts a run of a graph as it is now, or joins the one with the same idempotency key, and comes back as soon as it
   * is kept. It is a run like those of agents: `runs.find`, `runs.events`, `runs.cancel`.
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
   * Runs a graph and gives what came of it, or how far it has come when it waits for people (code `approval`). A graph
   * whose nodes fail is a result too.
   *
   * @throws {RuntimeError} as {@link start}.
   */
  run(request: GraphRunRequest, options?: GraphStartOptions): Promise<GraphRunResult>
}
