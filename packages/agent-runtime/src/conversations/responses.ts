import { RuntimeError } from '../ports/runtime-error.ts'
import type { ResponseStore, StoredResponse } from '../store/ports/response-store.ts'

/** Stored responses of `/v1/responses`. Each is stored for 30 days, but not longer than its run. */
export interface Responses {
  /** Stores a response, and replaces one with the same id. */
  save(response: Omit<StoredResponse, 'createdAt'>): Promise<void>
  /** Returns a stored response. @returns undefined if the response is unknown, deleted or too old. */
  find(id: string): Promise<StoredResponse | undefined>
  /** Deletes a response. Its run stays. @throws {RuntimeError} `not_found` */
  delete(id: string): Promise<void>
}

const keptMs = 30 * 86_400_000

/** Builds {@link Responses} over a store. */
export function createResponses(store: ResponseStore, now: () => number): Responses {
  const before = () => new Date(now() - keptMs).toISOString()
  return {
    save: (response) =>
      store.saveResponse({ ...response, createdAt: new Date(now()).toISOString(), keptSince: before() }),
    find: (id) => store.findResponse(id, before()),
    async delete(id) {
      if (await store.deleteResponse(id)) return
      throw new RuntimeError(
        'not_found',
        'Deleting a response failed: no response has this id. Check the id.',
      )
    },
  }
}
