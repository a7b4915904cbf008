import type { JsonObject } from '@homeward/contract/agent-platform'

/** A stored response of the OpenAI-compatible API. */
export interface StoredResponse {
  readonly id: string
  /** Run of the response. The response is deleted with it. */
  readonly runId: string
  readonly agentId: string
  readonly userId?: string
  /** ISO 8601 text in UTC. */
  readonly createdAt: string
  /** The response as its caller received it, and the parts of its request that a following response needs. */
  readonly body: JsonObject
}

/** Store of responses. */
export interface ResponseStore {
  /**
   * Stores a response, replaces one with the same id, and removes some that were created before `keptSince`. A
   * response whose run no longer exists is not stored.
   */
  saveResponse(response: StoredResponse & { readonly keptSince: string }, signal?: AbortSignal): Promise<void>
  /** Finds a response. @returns undefined if it is unknown, or was created before `keptSince`. */
  findResponse(id: string, keptSince: string, signal?: AbortSignal): Promise<StoredResponse | undefined>
  /** Deletes a response. @returns whether it existed. */
  deleteResponse(id: string, signal?: AbortSignal): Promise<boolean>
}
