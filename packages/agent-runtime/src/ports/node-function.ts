import type { Json, JsonObject } from '@homeward/contract/agent-platform'

/** What a function of a graph gets to work on. */
export interface NodeInput {
  /** The node's `input` with its placeholders replaced, or without one, the outputs of the nodes before it. */
  readonly text: string
  /** Input of the graph's run. */
  readonly graphInput: string
  /**
   * What the nodes before this one gave, by their ids: data of functions and structured outputs, else text. Nodes that were skipped
   * are not there.
   */
  readonly nodes: Readonly<Record<string, Json>>
  /** The item that this call is for. Present if the node has `map`. */
  readonly item?: Json
  /** Place of the item in its list, from 0 on. Present if the node has `map`. */
  readonly index?: number
}

/** What a function of a graph may know about its run. */
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
  /** Counts the attempts that `retries` allows, from 1 on. */
  readonly attempt: number
  /** Whether this very attempt was begun before, and its process ended. What it did may be done. */
  readonly wasInterrupted: boolean
  /** The same for every call of this node, or of this item, in this run: pass it to services that recognize retries. */
  readonly idempotencyKey: string
  /** Whether a node before this one has read content that a stranger may have made. */
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
