import type { JsonObject } from '@homeward/contract/agent-platform'

/** A response of the OpenAI-compatible interface that is stored. */
export interface StoredResponse {
  readonly id: string
  /** The run that answered. The response is deleted with it. */
  readonly runId: string
  readonly agentId: string
  readonly userId?: string
  /** ISO 8601 text in UTC. */
  readonly createdAt: string
  /** The response as its caller got it, and what a next one reads of its request. */
  readonly body: JsonObject
}

/** Where responses are stored. */
export interface ResponseStore {
  /**
   * Stores a response in the place of one with the same id, and forgets some that were created before `keptSince`. A response
   * whose run is gone is not stored.
   */
  saveResponse(response: StoredResponse & { readonly keptSince: string }, signal?: AbortSignal): Promise<void>
  /** @returns undefined if it is unknown, or was created before `keptSince`. */
  findResponse(id: string, keptSince: string, signal?: AbortSignal): Promise<StoredResponse | undefined>
  /** @returns whether there was one. */
  deleteResponse(id: string, signal?: AbortSignal): Promise<boolean>
}
