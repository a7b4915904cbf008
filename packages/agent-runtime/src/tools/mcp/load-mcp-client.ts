import { RuntimeError } from '../../runtime-error.ts'

/** What is used of the official client package. */
export type McpClientModules = Awaited<ReturnType<typeof importModules>>

/**
 * Loads the MCP client when a server is asked for first.
 *
 * @throws {RuntimeError} `run_error` that names the package to install.
 */
export async function loadMcpClient(
  load: () => Promise<McpClientModules> = importModules,
): Promise<McpClientModules> {
  return await load().catch((cause: unknown) => {
    const text =
      'Using MCP servers failed: the package "@modelcontextprotocol/sdk" is not installed. Run: npm install @modelcontextprotocol/sdk'
    throw new RuntimeError('run_error', text, { cause })
  })
}

async function importModules() {
  const [client, types, stdio, streamableHttp] = await Promise.all([
    import('@modelcontextprotocol/sdk/client/index.js'),
    import('@modelcontextprotocol/sdk/types.js'),
    import('@modelcontextprotocol/sdk/shared/stdio.js'),
    import('@modelcontextprotocol/sdk/client/streamableHttp.js'),
  ])
  return { ...client, ...types, ...stdio, ...streamableHttp }
}
