import type { ContentBlock, Result, Tool as McpTool } from '@modelcontextprotocol/sdk/types.js'
import type { Json, JsonObject } from '@homeward/contract/agent-platform'
import type { McpClientModules } from './load-mcp-client.ts'

/** What a server lists. */
export interface McpToolList {
  readonly tools: readonly McpTool[]
  /** How many more there are, at least, that cannot be read or are too many. */
  readonly leftOut: number
}

/** What a tool answered. */
export interface McpToolAnswer {
  /** Undefined stands for content of a kind that the client package does not know. */
  readonly content: readonly (ContentBlock | undefined)[]
  /** Any JSON: servers also give lists. Undefined when there is none. */
  readonly structuredContent?: Json
  readonly isError: boolean
}

/**
 * Reads a page of tools, each by itself: one that nobody can read does not cost an agent the others.
 *
 * @throws {Error} when it is no list.
 */
export function readToolPage(
  { tools, nextCursor }: Result,
  { ToolSchema }: Pick<McpClientModules, 'ToolSchema'>,
): McpToolList & { readonly nextCursor: string | undefined } {
  if (!Array.isArray(tools)) throw new Error('its list of tools cannot be read')
  const readable = tools.flatMap((tool) => ToolSchema.safeParse(tool).data ?? [])
  return {
    tools: readable,
    leftOut: tools.length - readable.length,
    nextCursor: typeof nextCursor === 'string' && nextCursor !== '' ? nextCursor : undefined,
  }
}

/**
 * Reads what a tool answered, each piece by itself: a kind that is newer than the client package hides no other.
 *
 * @throws {Error} when it is no answer of a tool.
 */
export function readToolAnswer(
  { content = [], structuredContent, isError }: JsonObject,
  { ContentBlockSchema }: Pick<McpClientModules, 'ContentBlockSchema'>,
): McpToolAnswer {
  if (!Array.isArray(content)) throw new Error('what it answered cannot be read')
  return {
    content: content.map((block) => ContentBlockSchema.safeParse(block).data),
    ...(structuredContent !== undefined && structuredContent !== null && { structuredContent }),
    isError: isError === true,
  }
}
