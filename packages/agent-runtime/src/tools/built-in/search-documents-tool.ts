import type {
  Collection,
  DocumentSearchResult,
  DocumentSource,
  Json,
  JsonObject,
} from '@homeward/contract/agent-platform'
import { isJsonObject } from '../../json/json-object.ts'
import { cut } from '../../json/to-json.ts'
import type { Tool } from '../../ports/tool.ts'
import { textOf, wholeOf, wrongArgument } from './read-arguments.ts'

/** Collections as the tool needs them. */
export interface SearchedCollections {
  find(id: string): Promise<Collection | undefined>
  search(
    id: string,
    query: { readonly q: string; readonly limit: number; readonly userId?: string | undefined },
    signal?: AbortSignal,
  ): Promise<readonly DocumentSearchResult[]>
}

const maxResults = 20
const usualResults = 5
/** Longest quote of a source, in characters. */
const maxQuote = 300

/** Searches the documents of an agent. A stranger may have written them. */
export function createSearchDocumentsTool(
  service: SearchedCollections,
  collections: readonly Collection[],
  maxResultBytes: number,
): Tool {
  const list = collections.map(({ id, name, description }) =>
    [`- ${id}`, name, description].filter(Boolean).join(': ').replace(/\s+/g, ' ').slice(0, 500),
  )
  return {
    id: 'search_documents',
    description: `Searches documents by words and by meaning. Gives passages with the name of their document. Collections:\n${list.join('\n')}`,
    inputSchema: {
      type: 'object',
      properties: {
        query: {
          type: 'string',
          minLength: 1,
          maxLength: 10_000,
          description: 'The question, in plain words.',
        },
        collection: {
          type: 'string',
          enum: collections.map(({ id }) => id),
          description: 'Searches this collection only. Default: all of them.',
        },
        limit: {
          type: 'integer',
          minimum: 1,
          maximum: maxResults,
          description: `Largest number of passages. Default ${usualResults}.`,
        },
      },
      required: ['query'],
      additionalProperties: false,
    },
    effects: 'read',
    idempotent: true,
    returnsUntrustedContent: true,
    sourcesOf: (result) =>
      isJsonObject(result) && Array.isArray(result['results']) ? result['results'].flatMap(toSource) : [],
    async execute(args, { userId, signal }) {
      const q = textOf(args, 'query')
      const limit = Math.min(maxResults, wholeOf(args, 'limit', usualResults, 1))
      const named = textOf(args, 'collection', '')
      const asked = collections.filter(({ id }) => named === '' || id === named)
      if (asked.length === 0)
        throw wrongArgument('collection', `one of ${collections.map(({ id }) => id).join(', ')}`)
      const found = await Promise.all(
        asked.map(async ({ id }) => {
          const collection = await service.find(id)
          // documents of a user are for that user's runs alone
          if (!collection || (collection.per_user && userId === undefined)) return []
          const results = await service.search(id, { q, limit, userId }, signal)
          return results.map((result) => ({ id, result }))
        }),
      )
      const best = found
        .flat()
        .toSorted((a, b) => b.result.score - a.result.score)
        .slice(0, limit)
      return { results: bounded(best.map(toShown), maxResultBytes) }
    },
  }
}

interface FoundPassage {
  readonly id: string
  readonly result: DocumentSearchResult
}

function toShown({ id, result: { document_id, name, page, heading, text } }: FoundPassage): JsonObject {
  return {
    collection: id,
    document_id,
    name,
    ...(page !== undefined && { page }),
    ...(heading !== undefined && { heading }),
    text,
  }
}

/** As many results as fit, the best first. */
function bounded(results: readonly JsonObject[], maxBytes: number): JsonObject[] {
  let bytes = 0
  return results.filter((result) => (bytes += Buffer.byteLength(JSON.stringify(result))) <= maxBytes)
}

function toSource(result: Json): readonly DocumentSource[] {
  if (!isJsonObject(result)) return []
  const { document_id: id, name, page, text } = result
  if (typeof id !== 'string' || typeof name !== 'string' || typeof text !== 'string') return []
  const quote = cut(text.replace(/\s+/g, ' ').trim(), maxQuote)
  return [{ document_id: id, name, ...(typeof page === 'number' && { page }), quote }]
}
