import { untilAborted } from '@homeward/kit'
import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import type { McpClientModules } from './load-mcp-client.ts'
import type { McpTransport } from './stdio-transport.ts'

/** A client that is connected, and what came with it. */
export interface OpenMcpClient {
  readonly client: Client
  readonly transport: McpTransport
  readonly modules: McpClientModules
}

/** What a session is made with. */
export interface McpSessionOptions {
  readonly load: () => Promise<McpClientModules>
  readonly toTransport: (modules: McpClientModules) => McpTransport
  /** Longest that connecting may take. */
  readonly timeoutMs: number
  /** Called when it has ended, or could not be made. */
  readonly onEnd: () => void
}

/** One session with a server, from connecting to its end. */
export interface McpSession {
  /** Rejects when it could not be made. */
  readonly opened: Promise<OpenMcpClient>
  /** @throws the signal's reason when it aborted; whatever the request throws. */
  ask<Answer>(request: (open: OpenMcpClient) => Promise<Answer>, signal: AbortSignal): Promise<Answer>
  /**
   * Whether an error of {@link ask} can mean that the server does not know this session.
   *
   * @returns `gone` when it says so, and has done nothing; `doubtful` when it may have meant something else.
   */
  lossOf(error: unknown): 'gone' | 'doubtful' | undefined
  /** Closes it as soon as nothing is under way: what other calls have begun may still be answered. */
  retire(): void
  /** Closes it at once, also while it is being made. */
  close(): Promise<void>
}

/** Begins to connect at once. */
export function createMcpSession({ load, toTransport, timeoutMs, onEnd }: McpSessionOptions): McpSession {
  let connecting: McpTransport | undefined
  let open: OpenMcpClient | undefined
  let underWay = 0
  let isRetired = false

  const connect = async (): Promise<OpenMcpClient> => {
    const modules = await load()
    const client = new modules.Client({ name: 'homeward', version: '0.1.0' }, { capabilities: {} })
    const transport = toTransport(modules)
    connecting = transport
    try {
      await client.connect(transport, { timeout: timeoutMs })
    } catch (error) {
      await transport.close()
      throw transport.failure ?? error
    } finally {
      connecting = undefined
    }
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the client has no other way to tell
    client.onclose = onEnd
    open = { client, transport, modules }
    return open
  }
  const opened = connect()
  opened.catch(onEnd)

  const close = async (): Promise<void> => {
    await connecting?.close()
    await opened.catch(() => undefined)
    await open?.client.close()
  }
  const closeWhenIdle = (): void => {
    // nobody waits for its end: what goes wrong then is of no use to anybody
    if (isRetired && underWay === 0) close().catch(() => undefined)
  }

  return {
    opened,
    close,
    async ask(request, signal) {
      signal.throwIfAborted()
      underWay += 1
      try {
        return await request(await untilAborted(opened, signal))
      } catch (error) {
        // the client only says that the connection was closed
        throw open?.transport.failure ?? error
      } finally {
        underWay -= 1
        closeWhenIdle()
      }
    },
    lossOf: (error) => (open === undefined ? undefined : lossOf(error, open)),
    retire() {
      isRetired = true
      closeWhenIdle()
    },
  }
}

/**
 * Only refusals by HTTP count: what a tool answers is another kind of error, and a connection that breaks says nothing
 * about the session, which may live on.
 */
function lossOf(error: unknown, { transport, modules }: OpenMcpClient): 'gone' | 'doubtful' | undefined {
  if (!(error instanceof modules.StreamableHTTPError)) return undefined
  // the specification's word for it
  if (error.code === 404 && transport.sessionId !== undefined) return 'gone'
  // some servers say 400 of a session that they do not know, or of a version that they do not speak any more
  return error.code === 404 || error.code === 400 ? 'doubtful' : undefined
}
