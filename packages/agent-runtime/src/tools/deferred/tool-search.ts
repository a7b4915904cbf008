import type { Json } from '@homeward/contract/agent-platform'
import { callToolId, searchToolId } from '../../ports/built-in-tool-ids.ts'
import type { Tool } from '../../ports/tool.ts'
import { textOf, wholeOf } from '../built-in/read-arguments.ts'
import { once } from '../../concurrency/once.ts'

const defaultFound = 5
const maxFound = 20
/** Characters of one result, about 2,000 tokens (A18). The first tool is always shown whole. */
const maxResultChars = 8000
const maxSources = 1000

/**
 * The tool by which a model finds tools that its prompt does not hold.
 *
 * @param deferred The tools to search
 * @param sources Where they come from, for the model
 */
export function createToolSearch(deferred: readonly Tool[], sources: readonly string[]): Tool {
  const ranking = once(async () => (await import('./rank-tools.ts')).rankTools(deferred))
  return {
    id: searchToolId,
    description:
      `Finds more tools, which are not listed here, by words of their names and descriptions. Call a found tool with ${callToolId}. ` +
      `Search before you say that something cannot be done. The tools come from ${sources.join(' and ').slice(0, maxSources)}.`,
    inputSchema: {
      type: 'object',
      properties: {
        query: {
          type: 'string',
          minLength: 1,
          maxLength: 1000,
          description: 'What the tool should do, in a few words, or its name.',
        },
        limit: {
          type: 'integer',
          minimum: 1,
          maximum: maxFound,
          description: `Largest number of results. Default ${defaultFound}.`,
        },
      },
      required: ['query'],
      additionalProperties: false,
    },
    effects: 'read',
    idempotent: true,
    // descriptions come from the servers that the operator chose, as they do in a prompt
    returnsUntrustedContent: false,
    async execute(args) {
      const { search } = await ranking()
      const found = search(textOf(args, 'query'))
      const limit = Math.min(maxFound, wholeOf(args, 'limit', defaultFound, 1))
      return toResult(found.slice(0, limit), found.length)
    },
  }
}

function toResult(found: readonly Tool[], total: number): Json {
  if (found.length === 0) return { tools: [], note: 'No tool matches these words. Try other words.' }
  const shown: Json[] = []
  let chars = 0
  for (const tool of found) {
    const one = toFound(tool)
    chars += JSON.stringify(one).length
    if (chars > maxResultChars && shown.length > 0) break
    shown.push(one)
  }
  const more = found.slice(shown.length).map(({ id }) => id)
  return { tools: shown, total, ...(more.length > 0 && { too_long_to_show: more }) }
}

const toFound = ({ id, description, inputSchema }: Tool): Json => ({
  name: id,
  description,
  parameters: JSON.parse(JSON.stringify(inputSchema)) as Json, // what stringify wrote
})
