import { createConfigInMemory } from '../../../settings/config-file.ts'
import { createMcpServers, type McpServers, type McpServersOptions } from '../create-mcp-servers.ts'
import { createKnownTools } from '../known-tools.ts'
import { loadMcpClient, type McpClient, type McpClientModules } from '../load-mcp-client.ts'
import { createMcpConfigs } from '../mcp-configs.ts'
import type { McpServerConfig } from '../mcp-server-config.ts'
import { createMcpTokens } from '../mcp-tokens.ts'

/** The MCP servers of an app, for a test. */
export function openServers(
  configs: Readonly<Record<string, McpServerConfig>>,
  options: Pick<McpServersOptions, 'logger'> & Partial<McpServersOptions>,
): McpServers {
  return createMcpServers({
    configs: createMcpConfigs(createConfigInMemory(), configs),
    known: createKnownTools(undefined, options.logger),
    tokens: createMcpTokens({ file: createConfigInMemory(), now: Date.now }),
    environment: {},
    fetch,
    now: Date.now,
    maxResultBytes: 1000,
    ...options,
  })
}

/** The client package with a client of the test's own, which is connected to nothing. */
export async function loadWith(request: McpClient['request']): Promise<McpClientModules> {
  const client: McpClient = {
    connect: async () => {},
    close: async () => {},
    protocolVersion: undefined,
    capabilities: {},
    request,
  }
  return { ...(await loadMcpClient()), createClient: () => client }
}
