import type { Graph } from '@homeward/contract/agent-platform'
import type { NewAuditEntry } from './audit-store.ts'

/** Where graphs are kept (A10). Implementations must pass `graphStoreConformance`. */
export interface GraphStore {
  /** @returns false, and changes nothing, when the id is taken. */
  insertGraph(graph: Graph, audit?: NewAuditEntry, signal?: AbortSignal): Promise<boolean>
  /** Puts a graph in the place of the one with its id. @returns false when there is none. */
  replaceGraph(graph: Graph, audit?: NewAuditEntry, signal?: AbortSignal): Promise<boolean>
  /** @returns false when there is none. */
  deleteGraph(id: string, audit?: NewAuditEntry, signal?: AbortSignal): Promise<boolean>
  /** @returns undefined when there is none. */
  findGraph(id: string, signal?: AbortSignal): Promise<Graph | undefined>
  /** All graphs, `created_at` then `id` ascending. */
  listGraphs(signal?: AbortSignal): Promise<Graph[]>
}
