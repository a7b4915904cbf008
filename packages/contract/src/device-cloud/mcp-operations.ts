import { mcpCall } from '../mcp-call.ts'
import type { Operation } from '../operation.ts'

/** The user's devices as tools of MCP clients. */
export const deviceMcpOperations = {
  callDeviceTools: {
    ...mcpCall,
    auth: 'session',
    needs: 'any',
    summary:
      'Takes a message of an MCP client, whose tools search devices and fetch files. Each tool needs the grants of the routes that it calls.',
  },
} as const satisfies Record<string, Operation>
