import type { Json, JsonObject } from '@homeward/contract/agent-platform'

/** Input of a function of a graph. */
export interface NodeInput {
  /** The node's `input` with its placeholders replaced, or without one, the outputs of the nodes before it. */
  readonly text: string
  /** Input of the graph's run. */
  readonly graphInput: string
  /**
   * Results of earlier nodes by node id: data of functions and structured outputs, otherwise text. Skipped nodes are absent.
   */
  readonly nodes: Readonly<Record<string, Json>>
  /** The item that this call is for. Present if the node has `map`. */
  readonly item?: Json
  /** Place of the item in its list, from 0 on. Present if the node has `map`. */
  readonly index?: number
}

/** Facts about the run for a function of a graph. */
export interface NodeFunctionContext {
  /** Run of the graph. */
  readonly runId: string
  readonly graphId: string
  /** Id of the node; of an item of a node with `map`, followed by `.` and its place in the list. */
  readonly nodeId: string
  /** The user that the request named. Absent if it named none. */
  readonly userId?: string
  /** The `metadata` of the request. `{}` without any. */
  readonly metadata: Readonly<JsonObject>
  /** Number of the attempt, from 1. */
  readonly attempt: number
  /** Whether an earlier process began this attempt and ended during it. Its effects may have happened. */
  readonly wasInterrupted: boolean
  /** The same for every call of this node, or of this item, in this run: pass it to services that recognize retries. */
  readonly idempotencyKey: string
  /** Whether an earlier node has read content of a stranger. */
  readonly tainted: boolean
  /** Aborts when the run is canceled, when this process leaves the run, and when the function takes too long. */
  readonly signal: AbortSignal
}

/**
 * A step of a graph in code. Its result is stored, so it is not called again once it has returned. A call that a crash interrupted
 * is made again.
 *
 * @returns any JSON: the data of the node. Nothing counts as `null`.
 * @throws {Error} whose message people may read: no secret in it. The node has failed, or is tried again.
 */
export type NodeFunction = (input: NodeInput, context: NodeFunctionContext) => unknown
