import type { Tool as McpTool } from '@modelcontextprotocol/sdk/types.js'
import type { JsonObject } from '@homeward/contract/agent-platform'
import type { Logger } from '../../ports/logger.ts'
import type { Tool, ToolEffects } from '../../ports/tool.ts'
import { RuntimeError } from '../../ports/runtime-error.ts'
import { createMcpConnection } from './mcp-connection.ts'
import type { McpConnection } from './mcp-connection.ts'
import type { McpLinkOptions } from './mcp-link.ts'
import type { McpServerConfig } from './mcp-server-config.ts'
import { toMcpResult } from './to-mcp-result.ts'

const maxDescription = 4000
const maxSchemaBytes = 65_536

/** The operator's MCP servers. */
export interface McpServers {
  /**
   * Tools of the named servers, with ids `server.tool`. What cannot be reached is named in `missing`; the others do
   * not wait for more than its time-out.
   */
  toolsFor(names: readonly string[], signal: AbortSignal): Promise<{ tools: Tool[]; missing: string[] }>
  /** Ends the servers that were started. Safe to call twice. */
  close(): Promise<void>
}

/** Settings of {@link createMcpServers}. */
export interface McpServersOptions extends McpLinkOptions {
  readonly servers: Readonly<Record<string, McpServerConfig>>
  readonly maxResultBytes: number
  readonly logger: Logger
}

/** Makes the MCP servers reachable. Each is connected when an agent that names it runs first, and stays connected. */
export function createMcpServers(options: McpServersOptions): McpServers {
  const { servers, maxResultBytes, logger } = options
  const connections = new Map<string, McpConnection>()
  /** How many tools of a server were left out at its last list: what stays so is told once. */
  const leftOutOf = new Map<string, number>()

  const connectionOf = (name: string, config: McpServerConfig): McpConnection => {
    const open = connections.get(name) ?? createMcpConnection(name, config, options)
    connections.set(name, open)
    return open
  }

  const tellLeftOut = (server: string, count: number): void => {
    if (count > 0 && leftOutOf.get(server) !== count) {
      const why = 'they are too many or too large, or cannot be read'
      logger.warn(`Tools of an MCP server are left out: ${why}`, { server, atLeast: count })
    }
    leftOutOf.set(server, count)
  }

  const toolsOf = async (name: string, signal: AbortSignal): Promise<Tool[] | undefined> => {
    const config = Object.hasOwn(servers, name) ? servers[name] : undefined
    if (config === undefined) {
      logger.warn('An agent names an MCP server that is not configured', { server: name })
      return undefined
    }
    try {
      const connection = connectionOf(name, config)
      const listed = await connection.listTools(signal)
      const tools = listed.tools.flatMap(
        (tool) => toTool(name, tool, config, connection, maxResultBytes) ?? [],
      )
      tellLeftOut(name, listed.leftOut + listed.tools.length - tools.length)
      // A server may list them in another order after a restart, and the prompt would begin anew in the provider's cache.
      return tools.toSorted((one, other) => (one.id < other.id ? -1 : 1))
    } catch (error) {
      if (signal.aborted) throw signal.reason
      logger.warn('An MCP server cannot be used', {
        server: name,
        reason: RuntimeError.is(error) ? error.message : 'unknown',
      })
      return undefined
    }
  }

  return {
    async toolsFor(names, signal) {
      const found = await Promise.all(names.map((name) => toolsOf(name, signal)))
      return {
        tools: found.flatMap((tools) => tools ?? []),
        missing: names.filter((_, index) => found[index] === undefined),
      }
    },
    async close() {
      await Promise.all(Array.from(connections.values(), (connection) => connection.close()))
    },
  }
}

/** A server's tool as ours; undefined for one that no model could call. */
function toTool(
  server: string,
  { name, description, inputSchema, annotations }: McpTool,
  { effects }: McpServerConfig,
  connection: McpConnection,
  maxResultBytes: number,
): Tool | undefined {
  const schema = JSON.stringify(inputSchema)
  if (schema.length > maxSchemaBytes || name === '' || name.length > 128) return undefined
  const own: ToolEffects = effects ?? (annotations?.readOnlyHint === true ? 'read' : 'external')
  return {
    id: `${server}.${name}`,
    description: (description ?? annotations?.title ?? name).slice(0, maxDescription),
    parameters: JSON.parse(schema) as JsonObject, // what stringify wrote of an object
    effects: own,
    repeat: own === 'read' || annotations?.idempotentHint === true ? 'safe' : 'once',
    untrusted: true,
    async call(args, { signal }) {
      const answer = await connection.callTool(name, args, signal)
      return toMcpResult(`${server}.${name}`, answer, maxResultBytes)
    },
  }
}
