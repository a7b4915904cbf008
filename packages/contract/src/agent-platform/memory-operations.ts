import * as z from 'zod/mini'
import type { Operation } from '../operation.ts'
import { MemorySearchResult, MemoryInput, MemorySearch } from './memory.ts'
import { idempotencyHeader } from './start-options.ts'
import { Done, limitParameter, PlatformId, Slug } from './values.ts'

const found = z.object({ results: z.array(MemorySearchResult) })

/** Long-term memory. */
export const memoryOperations = {
  writeMemory: {
    method: 'POST',
    path: '/api/memory/write',
    auth: 'local',
    scope: 'run',
    summary: 'Writes a memory.',
    source: 'Other route families; A11',
    headers: [idempotencyHeader],
    body: MemoryInput,
    status: 201,
    reply: z.object({ ok: z.literal(true), id: PlatformId }),
    errors: [409],
  },
  searchMemory: {
    method: 'GET',
    path: '/api/memory/search',
    auth: 'local',
    scope: 'read',
    summary:
      'Searches memories, best match first. `tags` is a comma-separated list. To search for a tag with a comma, use POST.',
    source: 'Other route families; A11',
    query: z.object({
      q: z.string().check(z.minLength(1), z.maxLength(10_000)),
      agent_id: z.optional(Slug),
      user_id: z.optional(PlatformId),
      tags: z.optional(z.string().check(z.maxLength(5000))),
      limit: limitParameter(50),
    }),
    reply: found,
  },
  searchMemoryByBody: {
    method: 'POST',
    path: '/api/memory/search',
    auth: 'local',
    scope: 'read',
    summary: 'Searches memories, best match first.',
    source: 'A11',
    body: MemorySearch,
    reply: found,
  },
  deleteMemory: {
    method: 'DELETE',
    path: '/api/memory/{id}',
    auth: 'local',
    scope: 'run',
    summary: 'Deletes a memory.',
    source: 'A11',
    params: z.object({ id: PlatformId }),
    reply: Done,
    errors: [404],
  },
} as const satisfies Record<string, Operation>
