import type { Agent } from '@homeward/contract/agent-platform'
import type { Tool } from '../../ports/tool.ts'
import { createToolSearch } from './tool-search.ts'
import { callToolId, searchToolId } from '../../ports/built-in-tool-ids.ts'
import { RuntimeError } from '../../ports/runtime-error.ts'

/** Most tools that a prompt holds before some of them are deferred. */
export const maxToolsAtHand = 40

/** Tools of one kind, which are deferred together. */
interface ToolGroup {
  readonly tools: readonly Tool[]
  /** Where they come from, for the model, such as `the MCP servers github, jira`. It must stay the same while a server is away. */
  readonly from: string
}

/** Tools of a run, some of which its prompt does not hold. */
interface DeferredTools {
  readonly tools: readonly Tool[]
  /** Ids of those that the model finds with `tool_search`. Undefined: the prompt holds all tools. */
  readonly deferred?: ReadonlySet<string>
}

/**
 * Defers tools of an agent that has more than {@link maxToolsAtHand}. Whole groups are deferred, so that the prompt stays the same
 * when a tool is added. Built-in tools and tools that the agent names stay in the prompt.
 *
 * @param groups Tools that can be deferred, those that are deferred first before the others
 */
export function deferTools(
  { tools: named = [] }: Pick<Agent, 'tools'>,
  tools: readonly Tool[],
  groups: readonly ToolGroup[],
): DeferredTools {
  const deferred = new Set<Tool>()
  const sources: string[] = []
  const isOffered = new Set(tools)
  for (const { tools: grouped, from } of groups) {
    if (tools.length - deferred.size <= maxToolsAtHand) break
    const open = grouped.filter((tool) => isOffered.has(tool) && !named.includes(tool.id))
    for (const tool of open) deferred.add(tool)
    if (open.length > 0) sources.push(from)
  }
  if (deferred.size === 0) return { tools }
  const found = tools.filter((tool) => deferred.has(tool))
  return {
    tools: [...tools, createToolSearch(found, sources), createCallTool()],
    deferred: new Set(found.map(({ id }) => id)),
  }
}

/**
 * The form in which a model calls a deferred tool. The run turns such a call into one of the tool that it names, before anything
 * else sees it (D35): only a call that names no other tool is ever made.
 */
const createCallTool = (): Tool => ({
  id: callToolId,
  description: `Calls a tool that ${searchToolId} has found. The arguments must match the parameters of that tool.`,
  inputSchema: {
    type: 'object',
    properties: {
      tool: { type: 'string', minLength: 1, description: `Name of the tool, as ${searchToolId} gave it.` },
      arguments: { type: 'object', description: 'Arguments of the tool.' },
    },
    required: ['tool', 'arguments'],
    additionalProperties: false,
  },
  effects: 'read',
  idempotent: true,
  returnsUntrustedContent: false,
  async execute() {
    const text = `Calling a tool failed: "tool" must name a tool other than ${callToolId}. Find one with ${searchToolId}.`
    throw new RuntimeError('validation_error', text)
  },
})
