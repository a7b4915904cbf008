import { createHash } from 'node:crypto'
import type { Agent, AgentPlatformOperations } from '@homeward/contract/agent-platform'
import { ClientError } from '@homeward/contract/client'
import {
  truncateText,
  maxResultCharacters,
  truncateRows,
  defineMcpTool,
  type McpContext,
  type McpTool,
} from '@homeward/contract/mcp'
import * as z from 'zod/mini'
import { runAgent } from './run-agent.ts'

/** One call of a tool of the agent platform. */
export type AgentContext = McpContext<AgentPlatformOperations>
/** A tool of the agent platform. */
type AgentTool = McpTool<AgentPlatformOperations>

/** Checks the types of a tool of the agent platform. */
export const defineAgentTool = defineMcpTool<AgentPlatformOperations>()

const longestName = 64

/** Arguments of every tool that runs an agent. */
export const taskFields = {
  task: z.string().check(z.minLength(1), z.maxLength(1_000_000), z.describe('What the agent is to do.')),
  conversation_id: z.optional(
    z
      .string()
      .check(
        z.minLength(1),
        z.maxLength(200),
        z.describe('Continues a conversation: `conversation_id` of an answer before. Default: a new one.'),
      ),
  ),
}

/** The tool that lists the agents. */
export const listAgentsTool = defineAgentTool({
  name: 'list_agents',
  title: 'List agents',
  description: 'Lists the agents that run_agent can run, with their ids.',
  hints: { readOnlyHint: true, openWorldHint: false },
  inputSchema: z.object({
    offset: z.optional(z.int().check(z.gte(0), z.describe('How many agents to skip. Default 0.'))),
  }),
  async execute({ offset = 0 }, { client, signal }) {
    const { agents } = await client.listAgents({ signal })
    const all = agents.slice(offset).map(({ id, name, description }) => ({
      id,
      ...(name !== undefined && { name: truncateText(name, 100) }),
      ...(description !== undefined && { description: truncateText(description, 300) }),
    }))
    const { rows, left } = truncateRows(all, maxResultCharacters - 200)
    return {
      value: {
        total: agents.length,
        agents: [...rows],
        ...(left > 0 && { next_offset: offset + rows.length }),
      },
    }
  },
})

/** One tool for each agent with a description, among those that the caller may see. */
export async function findAgentTools({ client, signal }: AgentContext): Promise<AgentTool[]> {
  try {
    const { agents } = await client.listAgents({ signal })
    return agents.filter(({ description }) => description !== undefined).map(toTool)
  } catch (error) {
    // a token that may run agents, but not list them
    if (ClientError.is(error) && error.status === 403) return []
    throw error
  }
}

function toTool({ id, name, description = '' }: Agent): AgentTool {
  return defineAgentTool({
    name: toolName(id),
    title: truncateText(name ?? id, 100),
    description: truncateText(description, 1000),
    // the agent's own tools decide about that
    hints: { readOnlyHint: false, openWorldHint: true },
    inputSchema: z.object(taskFields),
    execute: (input, context) => runAgent({ agent_id: id, ...input }, context),
  })
}

/**
 * `agent_<id>`, in the letters that all clients allow. A name that had to be changed ends with a part of the id's hash, so that
 * two agents never have the same.
 */
function toolName(id: string): string {
  const plain = `agent_${id.replaceAll('.', '_')}`
  if (!id.includes('.') && plain.length <= longestName) return plain
  const hash = createHash('sha256').update(id).digest('hex').slice(0, 8)
  return `${plain.slice(0, longestName - hash.length - 1)}_${hash}`
}
