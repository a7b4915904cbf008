import { withIdempotencyKey } from './idempotency-key.ts'
import type { PlatformContext, PlatformHandlers } from './platform-context.ts'

type MemoryHandlers = Pick<
  PlatformHandlers,
  'writeMemory' | 'searchMemory' | 'searchMemoryByBody' | 'deleteMemory'
>

/** Long-term memory (A11). */
export function createMemoryHandlers({ runtime, services: { memory } }: PlatformContext): MemoryHandlers {
  return {
    async writeMemory({ body, request }) {
      const { id } = await memory.write(withIdempotencyKey(body, request), { signal: request.signal })
      return { ok: true, id }
    },
    async searchMemory({ query: { tags: given, ...query }, request }) {
      const tags = given?.split(',').map((tag) => tag.trim())
      const wanted = tags?.filter((tag) => tag !== '')
      // the tags were one text so far: the runtime checks them
      return { results: await runtime.memory.search({ ...query, tags: wanted }, request.signal) }
    },
    searchMemoryByBody: async ({ body, request }) => ({ results: await memory.search(body, request.signal) }),
    async deleteMemory({ params, request }) {
      await memory.delete(params.id, request.signal)
      return { ok: true }
    },
  }
}
