import type { Json, JsonObject } from '@homeward/contract/agent-platform'

/** Input of a function of a graph. */
export interface NodeInput {
  /** The node's `input` with its placeholders replaced; without `input`, the outputs of the preceding nodes. */
  readonly text: string
  /** Input of the graph's run. */
  readonly graphInput: string
  /**
   * Results of earlier nodes by node id: data of functions and structured outputs, otherwise text. Skipped nodes are absent.
   */
  readonly nodes: Readonly<Record<string, Json>>
  /** The item of this call. Present if the node has `map`. */
  readonly item?: Json
  /** Index of the item in its list, starting at 0. Present if the node has `map`. */
  readonly index?: number
}

/** Facts about the run, for a function of a graph. */
export interface NodeFunctionContext {
  /** Run of the graph. */
  readonly runId: string
  readonly graphId: string
  /** Id of the node. For an item of a node with `map`, followed by `.` and its index in the list. */
  readonly nodeId: string
  /** User of the request. Absent if the request has none. */
  readonly userId?: string
  /** The `metadata` of the request. `{}` if missing. */
  readonly metadata: Readonly<JsonObject>
  /** Number of the attempt, starting at 1. */
  readonly attempt: number
  /** Whether an earlier process started this attempt and ended during it. Its effects may have happened. */
  readonly wasInterrupted: boolean
  /**
   * Key that is the same for every call of this node, or of this item, in this run. Pass it to services that support
   * idempotency keys.
   */
  readonly idempotencyKey: string
  /** Whether an earlier node has read untrusted content. */
  readonly tainted: boolean
  /**
   * Aborts when the run is canceled, when this process gives the run up, and when the function exceeds its time
   * limit.
   */
  readonly signal: AbortSignal
}

/**
 * A step of a graph in code.
 *
 * The result is stored, so a function that returned is not called again. A call that a crash interrupted is repeated.
 *
 * @returns any JSON: the data of the node. `undefined` becomes `null`.
 * @throws {Error} whose message is shown to people, so it must not contain secrets. The node has then failed or is
 * retried.
 */
export type NodeFunction = (input: NodeInput, context: NodeFunctionContext) => unknown
