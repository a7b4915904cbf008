import type { Respond } from '@homeward/contract/handler'
import type { McpEndpoint } from '@homeward/contract/mcp'
import type { PlatformHandlers } from '../platform-context.ts'

/** Takes messages of MCP clients. What serves them is loaded with the first one, because most servers never get one. */
export function createMcpHandlers(
  respond: Respond,
  onError: (error: unknown) => void,
): Pick<PlatformHandlers, 'callAgentTools'> {
  let endpoint: Promise<McpEndpoint> | undefined
  const open = () =>
    (endpoint ??= import('./create-agent-endpoint.ts').then(({ createAgentEndpoint }) =>
      createAgentEndpoint(respond, onError),
    ))
  return { callAgentTools: async ({ request, body }) => (await open())(request, body) }
}
