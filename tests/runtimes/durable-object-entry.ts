import { createDurableObjectStore, type DurableObjectStorage } from '@homeward/cloud-core/durable-object'
import { cloudStoreConformance } from '@homeward/cloud-core/testing'
import type { CaseOutcome } from './device-cloud-cases.ts'

// For workerd: one case of the store's kit in each Durable Object, over its own database.

interface Environment {
  readonly CASES: {
    idFromName(name: string): unknown
    get(id: unknown): { fetch(request: Request): Promise<Response> }
  }
}

/** Runs the case whose index is the path. */
export class StoreCase {
  readonly #storage: DurableObjectStorage

  constructor({ storage }: { readonly storage: DurableObjectStorage }) {
    this.#storage = storage
  }

  async fetch(request: Request): Promise<Response> {
    const { name, run } = cloudStoreConformance[Number(new URL(request.url).pathname.slice(1))]!
    const open = () => createDurableObjectStore(this.#storage)
    const outcome: CaseOutcome = await run({
      create: async () => ({ store: open(), reopen: async () => open() }),
    }).then(
      () => ({ name, error: null }),
      (error: unknown) => ({ name, error: String(error instanceof Error ? error.stack : error) }),
    )
    return Response.json(outcome)
  }
}

export default {
  async fetch(_request: Request, { CASES }: Environment): Promise<Response> {
    const outcomes: unknown[] = []
    for (const index of cloudStoreConformance.keys()) {
      const object = CASES.get(CASES.idFromName(String(index)))
      const response = await object.fetch(new Request(`http://localhost/${index}`))
      outcomes.push(await response.json())
    }
    return Response.json(outcomes)
  },
}
