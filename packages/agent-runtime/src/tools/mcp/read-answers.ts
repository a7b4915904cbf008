import type { Json, JsonObject } from '@homeward/contract/agent-platform'
import { restoreBounds } from '@homeward/kit'
import * as z from 'zod/mini'
import { isJsonObject } from '../../json/json-object.ts'

const Tool = z.object({
  name: z.string(),
  description: z.optional(z.string()),
  inputSchema: z.looseObject({ type: z.literal('object') }),
  annotations: z.optional(
    z.object({
      title: z.optional(z.string()),
      readOnlyHint: z.optional(z.boolean()),
      idempotentHint: z.optional(z.boolean()),
    }),
  ),
  /** What is asked for in place of a tool: the server lists no such tool. */
  reads: z.optional(z.enum(['resources', 'prompts'])),
})

/** A tool as a server lists it, as far as it is used. */
export type McpTool = z.infer<typeof Tool>

const medium = { data: z.string(), mimeType: z.string() }
const resource = { uri: z.string(), mimeType: z.optional(z.string()) }

const Block = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string() }),
  z.object({ type: z.literal('image'), ...medium }),
  z.object({ type: z.literal('audio'), ...medium }),
  z.object({ type: z.literal('resource_link'), uri: z.string() }),
  z.object({
    type: z.literal('resource'),
    resource: z.union([
      z.object({ ...resource, text: z.string() }),
      z.object({ ...resource, blob: z.string() }),
    ]),
  }),
])

/** A piece of what a tool answered. */
export type McpBlock = z.infer<typeof Block>

/** What a server lists. */
export interface McpToolList {
  readonly tools: readonly McpTool[]
  /** How many more there are, at least, that cannot be read or are too many. */
  readonly skippedRanges: number
}

/** What a tool answered. */
export interface McpToolAnswer {
  /** Undefined stands for content of an unknown kind. */
  readonly content: readonly (McpBlock | undefined)[]
  /** Any JSON: servers also give lists. Undefined when there is none. */
  readonly structuredContent?: Json
  readonly isError: boolean
}

/** Tools that can be read, each by itself: one that nobody can read does not cost an agent the others. */
export const parseTools = (tools: readonly unknown[]): McpTool[] =>
  tools.flatMap((tool) => z.safeParse(Tool, tool).data ?? [])

/**
 * Reads a page of tools.
 *
 * @throws {Error} when it is no list.
 */
export function readToolPage({
  tools,
  nextCursor,
}: Readonly<Record<string, unknown>>): McpToolList & { readonly nextCursor: string | undefined } {
  if (!Array.isArray(tools)) throw new Error('its list of tools is invalid')
  restoreBounds(tools) // long integers came as text
  const readable = parseTools(tools)
  return {
    tools: readable,
    skippedRanges: tools.length - readable.length,
    nextCursor: typeof nextCursor === 'string' && nextCursor !== '' ? nextCursor : undefined,
  }
}

/** Reads what a server answered about a resource. @throws {Error} for another answer */
export function readResourceAnswer({ contents }: JsonObject): McpToolAnswer {
  if (!Array.isArray(contents)) throw new Error('its response is invalid')
  const blocks = contents.map((resource) => z.safeParse(Block, { type: 'resource', resource }).data)
  return { content: blocks, isError: false }
}

/** Reads what a server answered about a prompt. @throws {Error} for another answer */
export function readPromptAnswer({ messages }: JsonObject): McpToolAnswer {
  if (!Array.isArray(messages)) throw new Error('its response is invalid')
  const content = messages.map((message) => {
    const { role, content: given } = isJsonObject(message) ? message : {}
    const block = z.safeParse(Block, given).data
    return block?.type === 'text'
      ? { ...block, text: `${typeof role === 'string' ? role : 'message'}: ${block.text}` }
      : block
  })
  return { content, isError: false }
}

/**
 * Reads what a tool answered, each piece by itself: a kind that is newer than this code hides no other.
 *
 * @throws {Error} when it is no answer of a tool.
 */
export function readToolAnswer({ content: given, structuredContent, isError }: JsonObject): McpToolAnswer {
  const content = given ?? [] // servers in Go send null for an empty list
  if (!Array.isArray(content)) throw new Error('its response is invalid')
  return {
    content: content.map((block) => z.safeParse(Block, block).data),
    ...(structuredContent !== undefined && structuredContent !== null && { structuredContent }),
    isError: isError === true,
  }
}
