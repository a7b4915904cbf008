import { mcpCall } from '../mcp-call.ts'
import type { Operation } from '../operation.ts'

/** The user's devices as tools of MCP clients. */
export const deviceMcpOperations = {
  callDeviceTools: {
    ...mcpCall,
    auth: 'session',
    needs: 'any',
    summary:
      'Serves MCP clients. The tools search devices and fetch files. Each tool needs the grants of the routes that it calls.',
  },
} as const satisfies Record<string, Operation>
