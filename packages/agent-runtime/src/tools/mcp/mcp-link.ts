import { RuntimeError } from '../../ports/runtime-error.ts'
import { loadMcpClient } from './load-mcp-client.ts'
import type { McpClientModules, McpListener } from './load-mcp-client.ts'
import { createMcpAuthProvider, McpAuthorizationNeeded } from './mcp-oauth.ts'
import { isPersonalServer, type McpServerConfig, oauthOf } from './mcp-server-config.ts'
import { createMcpSession } from './mcp-session.ts'
import type { McpSession, OpenMcpClient } from './mcp-session.ts'
import { createStdioTransport } from './stdio-transport.ts'
import type { McpTransport } from './stdio-transport.ts'
import type { McpTokens } from './mcp-tokens.ts'
import { createServerFetch, type ServerFetchOptions } from './server-fetch.ts'
import { createTokenFetch } from './token-fetch.ts'

const cooldownMs = 10_000

/** What a link is made with. */
export interface McpLinkOptions extends ServerFetchOptions {
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly now: () => number
  readonly tokens: McpTokens
  /** Lets runs go on that wait for what a person does at an address, once the server says that it is done. */
  readonly onElicited?: (server: string, id: string) => Promise<void>
  /** Loads the client package. @default import */
  readonly load?: () => Promise<McpClientModules>
}

/** The link to one server: made when it is needed first, and again after it broke. */
interface McpLink {
  /**
   * Asks in a new session when the server does not know the one before. What may have been done is not asked for again.
   *
   * @param repeat `safe`: asking twice does no harm.
   * @throws {RuntimeError} once it is closed, or right after it could not be made; whatever the request throws.
   */
  ask<Answer>(
    request: (open: OpenMcpClient) => Promise<Answer>,
    repeat: 'safe' | 'once',
    signal: AbortSignal,
  ): Promise<Answer>
  /** @throws {RuntimeError} right after a failure: otherwise every run would wait for a server that does not answer. */
  assertRested(): void
  /** Lets the server rest for a moment. */
  failed(): void
  /** Also ends a connection that is being made. */
  close(): Promise<void>
  /** Closes the session as soon as nothing is under way. */
  retire(): void
}

/** Nothing happens before it is asked for. @param timeoutMs Longest that connecting may take. */
export function createMcpLink(
  name: string,
  config: McpServerConfig,
  timeoutMs: number,
  options: McpLinkOptions & { readonly listener: McpListener },
): McpLink {
  let session: McpSession | undefined
  // the one above, and those that were dropped while they had something to answer
  const sessions = new Set<McpSession>()
  let failedAt: number | undefined
  let isClosed = false

  const isResting = (): boolean => failedAt !== undefined && options.now() - failedAt < cooldownMs
  const assertRested = (): void => {
    if (isResting()) throw toFailure(name, 'it could not be reached a moment ago. Try again later')
  }
  const assertOpen = (): void => {
    if (isClosed) throw toFailure(name, 'the runtime was closed')
  }
  const failed = (): void => {
    if (!isResting()) failedAt = options.now()
  }
  const load = async (): Promise<McpClientModules> => {
    const modules = await loadMcpClient(options.load)
    assertOpen()
    return modules
  }

  /** A server whose user has not logged in does not rest: after the login it is asked again at once. */
  const noteFailure = async (cause: unknown): Promise<void> => {
    const isLoginMissing =
      isPersonalServer(config) &&
      (cause instanceof McpAuthorizationNeeded ||
        (await loadMcpClient(options.load).catch(() => undefined))?.isUnauthorized(cause) === true)
    if (!isLoginMissing) failed()
  }

  const begin = (): McpSession => {
    assertOpen()
    if (session !== undefined) return session
    assertRested()
    const begun = createMcpSession({
      load,
      listener: options.listener,
      toTransport: (modules) => toTransport(name, config, modules, options),
      isStdio: !('url' in config),
      timeoutMs,
      onEnd: () => {
        sessions.delete(begun)
        if (session === begun) session = undefined
      },
    })
    begun.opened.catch(noteFailure)
    sessions.add(begun)
    session = begun
    return begun
  }

  const drop = (lost: McpSession): void => {
    lost.retire()
    if (session !== lost) return
    session = undefined
    // it has answered, so nobody waits in vain
    failedAt = undefined
  }

  return {
    assertRested,
    failed,
    async ask(request, repeat, signal) {
      const current = begin()
      try {
        return await current.ask(request, signal)
      } catch (error) {
        const loss = current.lossOf(error)
        if (loss !== undefined) drop(current)
        if (loss === undefined || (loss === 'doubtful' && repeat === 'once')) throw error
      }
      return await begin().ask(request, signal)
    },
    async close() {
      isClosed = true
      await Promise.all(Array.from(sessions, (each) => each.close()))
    },
    retire: () => session && drop(session),
  }
}

/** What callers see when a server cannot be used. */
export function toFailure(name: string, reason: string, cause?: unknown): RuntimeError {
  const text = `Using the MCP server "${name}" failed: ${reason}.`
  return new RuntimeError('run_error', text, cause === undefined ? {} : { cause, retryable: true })
}

function toTransport(
  name: string,
  config: McpServerConfig,
  modules: McpClientModules,
  options: McpLinkOptions,
): McpTransport {
  if (!('url' in config)) return createStdioTransport(config, options.environment, modules)
  const oauth = oauthOf(config)
  return modules.createHttpTransport(new URL(config.url), {
    requestInit: { headers: { ...config.headers } },
    fetch: oauth
      ? createTokenFetch(name, config, options.tokens, { ...options, modules })
      : createServerFetch(config, options),
    ...(oauth && { authProvider: createMcpAuthProvider(name, config, options.tokens) }),
  })
}
