import { untilAborted } from '@homeward/kit'
import type { McpClient, McpClientModules, McpEra, McpListener } from './load-mcp-client.ts'
import type { McpTransport } from './stdio-transport.ts'

/** A program that has only just been started may take a while; an older one may never say anything to the question. */
const stdioProbeMs = 10_000

/** The server ended while it was asked who it is. */
class EndedWhileConnecting extends Error {
  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : 'the server process has ended', { cause })
  }
}

/** A client that is connected, and what came with it. */
export interface OpenMcpClient {
  readonly client: McpClient
  readonly transport: McpTransport
  readonly modules: McpClientModules
}

/** What a session is made with. */
interface McpSessionOptions {
  readonly load: () => Promise<McpClientModules>
  readonly toTransport: (modules: McpClientModules) => McpTransport
  readonly listener: McpListener
  /** Whether the server is a program of this machine. */
  readonly isStdio: boolean
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
export function createMcpSession(options: McpSessionOptions): McpSession {
  const { load, toTransport, listener, isStdio, timeoutMs, onEnd } = options
  let connecting: McpTransport | undefined
  let open: OpenMcpClient | undefined
  let underWay = 0
  let isRetired = false
  let isClosed = false

  const connect = async (): Promise<OpenMcpClient> => {
    const modules = await load()
    open = await connectAs('auto', modules).catch(async (error: unknown) => {
      // Some older programs end when they are asked which version they speak.
      if (!isStdio || isClosed || !(error instanceof EndedWhileConnecting)) throw error
      return await connectAs('legacy', modules)
    })
    return open
  }

  const connectAs = async (era: McpEra, modules: McpClientModules): Promise<OpenMcpClient> => {
    const client = modules.createClient(
      era,
      Math.min(timeoutMs, isStdio ? stdioProbeMs : timeoutMs),
      listener,
    )
    const transport = toTransport(modules)
    connecting = transport
    let hasEnded = false
    try {
      const connected = client.connect(transport, { timeout: timeoutMs })
      // the client's own listener stands before: it is called first
      const told = transport.onclose
      // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the transport has no other way to tell
      transport.onclose = () => {
        hasEnded = true
        told?.()
      }
      await connected
    } catch (error) {
      await transport.close()
      if (transport.failure) throw transport.failure
      throw hasEnded ? new EndedWhileConnecting(error) : error
    } finally {
      connecting = undefined
    }
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the client has no other way to tell
    client.onclose = onEnd
    return { client, transport, modules }
  }
  const opened = connect()
  opened.catch(onEnd)

  const close = async (): Promise<void> => {
    isClosed = true
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
  const status = modules.statusOf(error)
  // the specification's word for it
  if (status === 404 && transport.sessionId !== undefined) return 'gone'
  // some servers say 400 of a session that they do not know, or of a version that they do not speak any more
  return status === 404 || status === 400 ? 'doubtful' : undefined
}
