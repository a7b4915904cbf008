import type { AgentPlatformOperations } from '@homeward/contract/agent-platform'
import { defineMcpTool, type McpContext, type McpTool } from '@homeward/contract/mcp'

/** One call of a tool of the agent platform. */
export type AgentContext = McpContext<AgentPlatformOperations>
/** A tool of the agent platform. */
export type AgentTool = McpTool<AgentPlatformOperations>

/** Checks the types of a tool of the agent platform. */
export const defineAgentTool = defineMcpTool<AgentPlatformOperations>()
