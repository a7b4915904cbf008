import { Server, type ServerContext } from '@modelcontextprotocol/server'
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import type { Readable, Writable } from 'node:stream'
import { createRemoteServer, type RemoteOptions, type RemoteServer } from './remote-server.ts'

/** What to connect. */
interface McpStdioOptions extends RemoteOptions {
  /** @default process.stdin */
  readonly input?: Readable
  /** @default process.stdout */
  readonly output?: Writable
  /** Told of failures. Gets no token. @default none */
  readonly onError?: (error: Error) => void
}

/** A connection between an MCP client on stdio and a running server. */
interface McpStdio {
  close(): Promise<void>
}

/** Runs and searches have limits of their own. */
const longestCallMs = 24 * 60 * 60 * 1000

/**
 * Serves an MCP client on stdin and stdout by a server that runs elsewhere: the same tools, under the same token, as over
 * HTTP. The client may start it before the server: calls fail in words until the server is there, also across its restarts.
 *
 * @example
 * const connection = connectMcpStdio({ url: 'http://127.0.0.1:3010/mcp', token: process.env.HOMEWARD_TOKEN })
 */
export function connectMcpStdio({ input, output, onError = () => {}, ...where }: McpStdioOptions): McpStdio {
  const remote = createRemoteServer(where)
  const connection = serveStdio(() => createProxy(remote), {
    transport: new StdioServerTransport(input, output),
    onerror: onError,
  })
  return {
    async close() {
      await connection.close()
      await remote.close()
    },
  }
}

async function createProxy(remote: RemoteServer): Promise<Server> {
  const { info, instructions } = await describe(remote)
  const server = new Server(info, {
    capabilities: { tools: {} },
    ...(instructions !== undefined && { instructions }),
  })
  server.setRequestHandler('tools/list', ({ params }, { mcpReq }) =>
    remote.use((client) => client.listTools(params, { signal: mcpReq.signal, cacheMode: 'bypass' })),
  )
  server.setRequestHandler('tools/call', async ({ params }, call) => {
    const progress = passProgress(call)
    const result = await remote.use((client) =>
      client.callTool(
        { name: params.name, arguments: params.arguments ?? {} },
        { signal: call.mcpReq.signal, timeout: longestCallMs, ...progress.options },
      ),
    )
    await progress.sent() // behind its result, nobody takes progress any more
    return result
  })
  return server
}

/** What the server says of itself; while it is away, a name alone. */
async function describe(remote: RemoteServer) {
  const unknown = { info: { name: 'homeward', version: '0.1.0' }, instructions: undefined }
  return remote
    .use(async (client) => ({
      info: client.getServerVersion() ?? unknown.info,
      instructions: client.getInstructions(),
    }))
    .catch(() => unknown)
}

/** Asks the server for progress if the client asked, and passes it on. */
function passProgress({ mcpReq }: ServerContext) {
  const progressToken = mcpReq._meta?.progressToken
  const sending: Promise<void>[] = []
  const onprogress = (progress: object) => {
    const params = { ...progress, progressToken }
    const sent = mcpReq.notify({ method: 'notifications/progress', params })
    sending.push(sent.catch(() => {})) // whoever is gone needs no progress
  }
  return {
    options: progressToken === undefined ? {} : { onprogress },
    sent: () => Promise.all(sending),
  }
}
