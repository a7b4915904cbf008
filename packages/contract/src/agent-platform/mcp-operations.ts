import { mcpCall } from '../mcp-call.ts'
import type { Operation } from '../operation.ts'

/** Agents as tools of MCP clients. */
export const agentMcpOperations = {
  callAgentTools: {
    ...mcpCall,
    auth: 'local',
    scope: 'any',
    summary:
      'Serves MCP clients. The tools run agents. Each tool needs the scopes of the routes that it calls.',
  },
} as const satisfies Record<string, Operation>
