import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { CallToolResult, Tool as McpTool } from '@modelcontextprotocol/sdk/types.js'
import type { JsonObject } from '@homeward/contract/agent-platform'
import { RuntimeError } from '../../runtime-error.ts'
import { redact } from '../redact.ts'
import { createBoundedFetch } from './bounded-fetch.ts'
import { loadMcpClient } from './load-mcp-client.ts'
import type { McpClientModules } from './load-mcp-client.ts'
import type { McpServerConfig } from './mcp-server-config.ts'
import { createStdioTransport } from './stdio-transport.ts'

const defaultTimeoutMs = 60_000
const cooldownMs = 10_000
const maxPages = 20
const maxTools = 500

/** One MCP server: connected when it is needed first, and again after it died. */
export interface McpConnection {
  /** @throws {RuntimeError} `run_error`; the signal's reason when it aborted. */
  listTools(signal: AbortSignal): Promise<McpTool[]>
  /** @throws {RuntimeError} `run_error`; the signal's reason when it aborted. */
  callTool(name: string, args: JsonObject, signal: AbortSignal): Promise<CallToolResult>
  close(): Promise<void>
}

/** What a connection works with. */
export interface McpConnectionOptions {
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly fetch: typeof fetch
  readonly now: () => number
  /** Loads the client package. @default import */
  readonly load?: () => Promise<McpClientModules>
}

interface Link {
  readonly client: Client
  readonly modules: McpClientModules
}

/** Makes one server of the operator's configuration reachable; nothing happens before it is asked for something. */
export function createMcpConnection(
  name: string,
  config: McpServerConfig,
  options: McpConnectionOptions,
): McpConnection {
  const { timeoutMs = defaultTimeoutMs } = config
  const secrets = Object.values(('url' in config ? config.headers : config.env) ?? {})
  let link: Promise<Link> | undefined
  let failedAt: number | undefined
  let isClosed = false

  const connect = async (): Promise<Link> => {
    const modules = await loadMcpClient(options.load)
    const client = new modules.Client({ name: 'homeward', version: '0.1.0' }, { capabilities: {} })
    const transport = toTransport(config, modules, options)
    try {
      await client.connect(transport, { timeout: timeoutMs })
    } catch (error) {
      await transport.close()
      throw error
    }
    return { client, modules }
  }

  const open = (): Promise<Link> => {
    if (isClosed) throw failure('the runtime is closed')
    if (link !== undefined) return link
    if (failedAt !== undefined && options.now() - failedAt < cooldownMs)
      throw failure('it could not be reached a moment ago')
    const opening = connect()
    link = opening
    const forget = (): void => {
      if (link === opening) link = undefined
    }
    opening.then(
      ({ client }) => {
        failedAt = undefined
        // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the client has no other way to tell
        client.onclose = forget
      },
      () => {
        failedAt = options.now()
        forget()
      },
    )
    return opening
  }

  const failure = (reason: string, cause?: unknown): RuntimeError => {
    const text = `Using the MCP server "${name}" failed: ${reason}.`
    return new RuntimeError('run_error', text, cause === undefined ? {} : { cause, retryable: true })
  }

  const ask = async <Answer>(
    request: (link: Link) => Promise<Answer>,
    signal: AbortSignal,
  ): Promise<Answer> => {
    signal.throwIfAborted()
    try {
      return await request(await untilAborted(open(), signal))
    } catch (error) {
      if (signal.aborted) throw signal.reason
      if (RuntimeError.is(error)) throw error
      const said = error instanceof Error ? error.message.slice(0, 500) : 'unknown'
      throw failure(redact(said, secrets), error)
    }
  }

  return {
    listTools: async (signal) => await ask((open) => listPages(open, timeoutMs, signal), signal),
    callTool: async (tool, args, signal) =>
      await ask(async ({ client, modules }) => {
        const params = { name: tool, arguments: args }
        const limits = { signal, timeout: timeoutMs, maxTotalTimeout: timeoutMs }
        return await client.request({ method: 'tools/call', params }, modules.CallToolResultSchema, limits)
      }, signal),
    async close() {
      isClosed = true
      const open = await link?.catch(() => undefined)
      await open?.client.close()
    },
  }
}

function toTransport(
  config: McpServerConfig,
  modules: McpClientModules,
  options: McpConnectionOptions,
): Transport {
  if (!('url' in config)) return createStdioTransport(config, options.environment, modules)
  const transport = new modules.StreamableHTTPClientTransport(new URL(config.url), {
    requestInit: { headers: { ...config.headers } },
    fetch: createBoundedFetch(options.fetch),
  })
  return transport
}

async function untilAborted<Value>(value: Promise<Value>, signal: AbortSignal): Promise<Value> {
  let give: (() => void) | undefined
  const aborted = new Promise<never>((_, reject) => {
    give = () => reject(signal.reason as Error) // whatever the caller gave
    signal.addEventListener('abort', give)
  })
  try {
    return await Promise.race([value, aborted])
  } finally {
    if (give !== undefined) signal.removeEventListener('abort', give)
  }
}

/** With `request` instead of `listTools`: that one compiles every schema that a server sends. */
async function listPages(
  { client, modules }: Link,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<McpTool[]> {
  const tools: McpTool[] = []
  let cursor: string | undefined
  for (let page = 0; page < maxPages && tools.length < maxTools; page += 1) {
    const params = cursor === undefined ? {} : { cursor }
    const request = { method: 'tools/list', params } as const
    const answer = await client.request(request, modules.ListToolsResultSchema, {
      signal,
      timeout: timeoutMs,
    })
    tools.push(...answer.tools)
    cursor = answer.nextCursor
    if (cursor === undefined) break
  }
  return tools.slice(0, maxTools)
}
