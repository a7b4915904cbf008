import * as z from 'zod/mini'
import { CustomId, orAbsent, PlatformId, shortText, Slug, Timestamp } from './values.ts'

const Tags = z.array(shortText(100)).check(z.maxLength(50))

/** A memory to store for an agent. */
export const MemoryInput = z.object({
  agent_id: Slug,
  text: z.string().check(z.minLength(1), z.maxLength(100_000), z.regex(/\S/, 'must not be blank')),
  user_id: orAbsent(CustomId),
  tags: orAbsent(Tags),
  /** Time from which searches do not find the memory. */
  expires_at: orAbsent(Timestamp),
  /**
   * Makes retries safe: requests with the same key store one memory and return its id. The same key with different
   * content is a conflict.
   */
  idempotency_key: orAbsent(CustomId),
})
export type MemoryInput = z.infer<typeof MemoryInput>

/** A stored memory. */
export const Memory = z.object({
  id: PlatformId,
  agent_id: Slug,
  user_id: z.nullable(PlatformId),
  text: z.string(),
  tags: z.array(z.string()),
  created_at: z.string(),
  /** `untrusted`: written from content that the model read from an untrusted source. */
  trust: z.optional(z.literal('untrusted')),
})
export type Memory = z.infer<typeof Memory>

/** A matching memory. A higher `score` is a better match. */
export const MemorySearchResult = z.extend(Memory, { score: z.number() })
export type MemorySearchResult = z.infer<typeof MemorySearchResult>

/** Search for memories. */
export const MemorySearch = z.object({
  q: z.string().check(z.minLength(1), z.maxLength(10_000)),
  agent_id: orAbsent(Slug),
  user_id: orAbsent(CustomId),
  tags: orAbsent(Tags),
  /** Maximum number of memories, 1 to 50. Default 10. */
  limit: orAbsent(z.int().check(z.gte(1), z.lte(50))),
})
export type MemorySearch = z.infer<typeof MemorySearch>
