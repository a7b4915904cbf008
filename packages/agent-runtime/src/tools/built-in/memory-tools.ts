import type { Json } from '@homeward/contract/agent-platform'
import { isJsonObject } from '../../json/json-object.ts'
import type { Embedder } from '../../memory/embedder.ts'
import type { MemoryStore, ScoredMemory, StoredMemory } from '../../store/ports/memory-store.ts'
import type { Tool } from '../../ports/tool.ts'
import { repeatableId, writeOnce } from '../../store/repeatable-id.ts'
import { cutText } from '../exec/bounded-output.ts'
import { textOf, textsOf, wholeOf, wrongArgument } from './read-arguments.ts'

const maxTextLength = 10_000
const tagList = { type: 'array', items: { type: 'string', minLength: 1, maxLength: 100 }, maxItems: 50 }

/** What the memory tools work with. */
interface MemoryToolOptions {
  readonly memory: Pick<MemoryStore, 'writeMemory' | 'searchMemories'>
  /** Where the host has an embedding model. */
  readonly embedder?: Embedder
  readonly now: () => number
  readonly maxResultBytes: number
}

/** Writes to and searches the long-term memory of the agent, as far as it concerns the user of the run. */
export function createMemoryTools(options: MemoryToolOptions): Tool[] {
  return [createMemorySearch(options), createMemoryWrite(options)]
}

function createMemorySearch({ memory, embedder, now, maxResultBytes }: MemoryToolOptions): Tool {
  return {
    id: 'memory_search',
    description: 'Searches the long-term memory for what was remembered before.',
    inputSchema: {
      type: 'object',
      properties: {
        query: {
          type: 'string',
          minLength: 1,
          maxLength: maxTextLength,
          description: 'What to look for, in plain words.',
        },
        tags: { ...tagList, description: 'Only memories with all of these tags.' },
        limit: {
          type: 'integer',
          minimum: 1,
          maximum: 50,
          description: 'Largest number of results. Default 10.',
        },
      },
      required: ['query'],
      additionalProperties: false,
    },
    effects: 'read',
    idempotent: true,
    // memories carry where they came from, so only those of strangers make a run untrusted
    returnsUntrustedContent: (result) => !holdsTrustedOnly(result),
    async execute(args, { agentId, userId, signal }) {
      const text = textOf(args, 'query')
      const tags = textsOf(args, 'tags')
      const found = await memory.searchMemories(
        {
          text,
          agentId,
          // What belongs to a user is for that user's runs alone.
          userId: userId ?? null,
          tags: tags.length > 0 ? tags : undefined,
          limit: Math.min(50, wholeOf(args, 'limit', 10, 1)),
          now: new Date(now()).toISOString(),
          ...(await embedder?.embedQuestion(text, signal)),
        },
        signal,
      )
      return boundList(found, maxResultBytes)
    },
  }
}

function createMemoryWrite({ memory, embedder, now }: MemoryToolOptions): Tool {
  return {
    id: 'memory_write',
    description: 'Remembers a fact for later conversations. One fact at a time, complete in itself.',
    inputSchema: {
      type: 'object',
      properties: { text: { type: 'string', minLength: 1, maxLength: maxTextLength }, tags: tagList },
      required: ['text'],
      additionalProperties: false,
    },
    effects: 'write',
    idempotent: true, // a repeat has the key of the call before it
    returnsUntrustedContent: false,
    async execute(args, { agentId, userId, tainted, idempotencyKey, signal }) {
      const text = textOf(args, 'text')
      if (text.trim() === '') throw wrongArgument('text', 'a non-empty string')
      const embedded = await embedder?.embedText(text, signal)
      const tags = textsOf(args, 'tags')
      const id = repeatableId(idempotencyKey, ['memory_write', agentId, userId, text, tags])
      const written: StoredMemory = {
        id,
        agentId,
        text,
        tags,
        createdAt: new Date(now()).toISOString(),
        ...(userId === undefined ? {} : { userId }),
        ...(tainted ? { trust: 'untrusted' as const } : {}),
        ...embedded,
      }
      await writeOnce(() => memory.writeMemory(written, signal))
      return { ok: true, id }
    },
  }
}

/** Whether a result is a list of memories, none of which came from a stranger. What was cut is not known to be. */
function holdsTrustedOnly(result: Json): boolean {
  if (!isJsonObject(result) || !Array.isArray(result['results'])) return false
  return result['results'].every(
    (entry) => isJsonObject(entry) && 'text' in entry && entry['trust'] === undefined,
  )
}

function toResult({ memory, score }: ScoredMemory): Json {
  const { id, text, tags, createdAt, trust } = memory
  return {
    id,
    text,
    tags: [...tags],
    created_at: createdAt,
    score,
    ...(trust === undefined ? {} : { trust }),
  }
}

/** As many results as fit, the best first; the best one is cut when it alone does not. */
function boundList(found: readonly ScoredMemory[], maxBytes: number): Json {
  const kept: Json[] = []
  let bytes = 0
  for (const scored of found) {
    const result = toResult(scored)
    bytes += Buffer.byteLength(JSON.stringify(result))
    if (bytes > maxBytes) break
    kept.push(result)
  }
  if (kept.length === found.length) return { results: kept }
  const [best] = found
  if (kept.length === 0 && best !== undefined) {
    const text = cutText(Buffer.from(best.memory.text), Math.floor(maxBytes / 2))
    kept.push(toResult({ ...best, memory: { ...best.memory, text } }))
  }
  return { results: kept, truncated: true }
}
