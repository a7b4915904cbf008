import type { Graph } from '@homeward/contract/agent-platform'
import type { NewAuditEntry } from './audit-store.ts'

/** Store of graphs. Implementations must pass `graphStoreConformance`. */
export interface GraphStore {
  /** Stores a graph. @returns false without a change if the id already exists. */
  insertGraph(graph: Graph, audit?: NewAuditEntry, signal?: AbortSignal): Promise<boolean>
  /** Replaces the graph with the same id. @returns false if it does not exist. */
  replaceGraph(graph: Graph, audit?: NewAuditEntry, signal?: AbortSignal): Promise<boolean>
  /** Deletes a graph. @returns false if it does not exist. */
  deleteGraph(id: string, audit?: NewAuditEntry, signal?: AbortSignal): Promise<boolean>
  /** Finds a graph. @returns undefined if it does not exist. */
  findGraph(id: string, signal?: AbortSignal): Promise<Graph | undefined>
  /** Lists all graphs, sorted by `created_at`, then `id`. */
  listGraphs(signal?: AbortSignal): Promise<Graph[]>
}
