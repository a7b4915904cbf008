import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { RuntimeError } from '../../runtime-error.ts'
import { createBoundedFetch } from './bounded-fetch.ts'
import { loadMcpClient } from './load-mcp-client.ts'
import type { McpClientModules } from './load-mcp-client.ts'
import type { McpServerConfig } from './mcp-server-config.ts'
import { createStdioTransport } from './stdio-transport.ts'

const cooldownMs = 10_000

/** What a link is made with. */
export interface McpLinkOptions {
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly fetch: typeof fetch
  readonly now: () => number
  /** Loads the client package. @default import */
  readonly load?: () => Promise<McpClientModules>
}

/** A client that is connected, and what came with it. */
export interface OpenMcpLink {
  readonly client: Client
  readonly modules: McpClientModules
}

/** The link to one server: made when it is needed first, and again after it broke. */
export interface McpLink {
  /** @throws {RuntimeError} once it is closed, or right after it could not be made. */
  open(): Promise<OpenMcpLink>
  /** @throws {RuntimeError} right after a failure: otherwise every run would wait for a server that does not answer. */
  assertRested(): void
  /** Lets the server rest for a moment. */
  failed(): void
  /** Also ends a connection that is being made. */
  close(): Promise<void>
}

/** Nothing happens before it is asked for. @param timeoutMs Longest that connecting may take. */
export function createMcpLink(
  name: string,
  config: McpServerConfig,
  timeoutMs: number,
  options: McpLinkOptions,
): McpLink {
  let link: Promise<OpenMcpLink> | undefined
  let connecting: Transport | undefined
  let failedAt: number | undefined
  let isClosed = false

  const isResting = (): boolean => failedAt !== undefined && options.now() - failedAt < cooldownMs
  const assertRested = (): void => {
    if (isResting()) throw toFailure(name, 'it could not be reached a moment ago')
  }
  const assertOpen = (): void => {
    if (isClosed) throw toFailure(name, 'the runtime is closed')
  }
  const failed = (): void => {
    if (!isResting()) failedAt = options.now()
  }

  const connect = async (): Promise<OpenMcpLink> => {
    const modules = await loadMcpClient(options.load)
    assertOpen()
    const client = new modules.Client({ name: 'homeward', version: '0.1.0' }, { capabilities: {} })
    const transport = toTransport(config, modules, options)
    connecting = transport
    try {
      await client.connect(transport, { timeout: timeoutMs })
    } catch (error) {
      await transport.close()
      throw error
    } finally {
      connecting = undefined
    }
    return { client, modules }
  }

  return {
    assertRested,
    failed,
    open() {
      assertOpen()
      if (link !== undefined) return link
      assertRested()
      const opening = connect()
      link = opening
      const forget = (): void => {
        if (link === opening) link = undefined
      }
      opening.then(
        ({ client }) => {
          // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the client has no other way to tell
          client.onclose = forget
        },
        () => {
          failed()
          forget()
        },
      )
      return opening
    },
    async close() {
      isClosed = true
      await connecting?.close()
      const opened = await link?.catch(() => undefined)
      await opened?.client.close()
    },
  }
}

/** What callers see when a server cannot be used. */
export function toFailure(name: string, reason: string, cause?: unknown): RuntimeError {
  const text = `Using the MCP server "${name}" failed: ${reason}.`
  return new RuntimeError('run_error', text, cause === undefined ? {} : { cause, retryable: true })
}

function toTransport(config: McpServerConfig, modules: McpClientModules, options: McpLinkOptions): Transport {
  if (!('url' in config)) return createStdioTransport(config, options.environment, modules)
  return new modules.StreamableHTTPClientTransport(new URL(config.url), {
    requestInit: { headers: { ...config.headers } },
    fetch: createBoundedFetch(options.fetch),
  })
}
