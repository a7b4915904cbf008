import type { JsonObject } from '@homeward/contract/agent-platform'
import type { Logger } from '../../ports/logger.ts'
import type { Tool, ToolEffects } from '../../ports/tool.ts'
import { RuntimeError } from '../../ports/runtime-error.ts'
import { reasonOf } from '../../ports/reason-of.ts'
import type { KnownTools } from './known-tools.ts'
import type { McpConfigs } from './mcp-configs.ts'
import { createMcpConnection } from './mcp-connection.ts'
import type { McpConnection } from './mcp-connection.ts'
import type { McpLinkOptions } from './mcp-link.ts'
import type { McpServerConfig } from './mcp-server-config.ts'
import type { McpTool, McpToolList } from './read-answers.ts'
import { toMcpResult } from './to-mcp-result.ts'

const maxDescription = 4000
const maxSchemaBytes = 65_536

/** The operator's MCP servers. */
export interface McpServers {
  /**
   * Tools of the named servers, with ids `server.tool`. A server that is away keeps the tools that it listed last: a call
   * says that it is away. A server that never listed any is named in `missing`.
   */
  toolsFor(names: readonly string[], signal: AbortSignal): Promise<{ tools: Tool[]; missing: string[] }>
  /**
   * Asks a server for its tools, also right after a failure.
   *
   * @throws {RuntimeError} `not_found`, `run_error` with the reason; the signal's reason when it aborted
   */
  test(name: string, signal: AbortSignal): Promise<McpTest>
  /** Why a server could not be used at the last try; undefined if it could, or was not tried. */
  problemOf(name: string): string | undefined
  /** Ends the servers that were started. Safe to call twice. */
  close(): Promise<void>
}

/** What a server says of itself. */
interface McpTest {
  readonly tools: readonly McpTool[]
  readonly protocolVersion: string | undefined
}

/** Settings of {@link createMcpServers}. */
export interface McpServersOptions extends McpLinkOptions {
  readonly configs: Pick<McpConfigs, 'read'>
  readonly known: KnownTools
  readonly maxResultBytes: number
  readonly logger: Logger
}

interface OpenServer {
  readonly config: McpServerConfig
  readonly connection: McpConnection
  problem?: string
}

/** Makes the MCP servers reachable. Each is connected when an agent that names it runs first, and stays connected. */
export function createMcpServers(options: McpServersOptions): McpServers {
  const { known, maxResultBytes, logger } = options
  const open = createOpenServers(options)
  /** How many tools of a server were left out at its last list: what stays so is told once. */
  const leftOutOf = new Map<string, number>()

  const tellLeftOut = (server: string, count: number): void => {
    if (count > 0 && leftOutOf.get(server) !== count) {
      const why = 'there are too many, or they are too large or cannot be read'
      logger.warn(`Loading some tools of an MCP server failed: ${why}`, { server, atLeast: count })
    }
    leftOutOf.set(server, count)
  }

  const toolsOf = async (name: string, signal: AbortSignal): Promise<Tool[] | undefined> => {
    const server = open.find(name)
    if (server === undefined) {
      logger.warn('An agent uses an MCP server that is not configured', { server: name })
      return undefined
    }
    try {
      const listed = await listTools(name, server, known, signal)
      tellLeftOut(name, listed.skippedRanges + listed.tools.filter((tool) => !isUsable(tool)).length)
      return toTools(name, server, listed.tools, maxResultBytes)
    } catch (error) {
      if (signal.aborted) throw signal.reason
      const reason = RuntimeError.is(error) ? error.message : 'unknown'
      logger.warn('Connecting to an MCP server failed', { server: name, reason })
      const last = known.find(name, server.config)
      return last && toTools(name, server, last, maxResultBytes)
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
    async test(name, signal) {
      const server = open.findRested(name)
      if (server === undefined)
        throw new RuntimeError(
          'not_found',
          `Using an MCP server failed: no MCP server has the name "${name}". List the MCP servers to find it.`,
        )
      const { tools } = await listTools(name, server, known, signal)
      return { tools, protocolVersion: server.connection.protocolVersion }
    },
    problemOf: (name) => open.find(name)?.problem,
    close: () => open.close(),
  }
}

/** The connections, one for each server. */
function createOpenServers(options: McpServersOptions) {
  const open = new Map<string, OpenServer>()
  const closing = new Set<Promise<void>>()
  let isClosed = false

  /** Calls that are under way end with it. */
  const end = (name: string, { connection }: OpenServer): void => {
    open.delete(name)
    const ended = connection.close().catch(() => undefined)
    closing.add(ended)
    void ended.then(() => closing.delete(ended))
  }

  /** A server whose configuration was replaced is another one; undefined if there is none of that name. */
  const find = (name: string): OpenServer | undefined => {
    const config = options.configs.read().byName.get(name)
    const before = open.get(name)
    if (before !== undefined && before.config === config) return before
    if (before) end(name, before)
    if (config === undefined) return undefined
    const server = { config, connection: createMcpConnection(name, config, options) }
    open.set(name, server)
    if (isClosed) end(name, server)
    return server
  }

  return {
    find,
    /** The same without the rest after a failure. What is known to work stays as it is. */
    findRested(name: string) {
      const before = open.get(name)
      if (before?.problem !== undefined) end(name, before)
      return find(name)
    },
    async close() {
      isClosed = true
      await Promise.all([...Array.from(open.values(), ({ connection }) => connection.close()), ...closing])
    },
  }
}

/** Asks a server for its tools, and notes what came of it. */
async function listTools(
  name: string,
  server: OpenServer,
  known: KnownTools,
  signal: AbortSignal,
): Promise<McpToolList> {
  try {
    const listed = await server.connection.listTools(signal)
    delete server.problem
    await known.note(name, server.config, listed)
    return listed
  } catch (error) {
    if (!signal.aborted) server.problem = reasonOf(error)
    throw error
  }
}

/** The tools that agents get, by their names: another order would make the prompt begin anew in the provider's cache. */
function toTools(
  name: string,
  { config, connection }: OpenServer,
  listed: readonly McpTool[],
  maxResultBytes: number,
): Tool[] {
  const wanted = config.tools && new Set(config.tools)
  return listed
    .filter((tool) => wanted === undefined || wanted.has(tool.name))
    .flatMap((tool) => toTool(name, tool, config, connection, maxResultBytes) ?? [])
    .toSorted((one, other) => (one.id < other.id ? -1 : 1))
}

/** Whether a model could call it. */
const isUsable = ({ name, inputSchema }: McpTool): boolean =>
  name !== '' && name.length <= 128 && JSON.stringify(inputSchema).length <= maxSchemaBytes

/** A server's tool as ours; undefined for one that no model could call. */
function toTool(
  server: string,
  tool: McpTool,
  { effects }: McpServerConfig,
  connection: McpConnection,
  maxResultBytes: number,
): Tool | undefined {
  if (!isUsable(tool)) return undefined
  const { name, description, inputSchema, annotations } = tool
  const own: ToolEffects = effects ?? (annotations?.readOnlyHint === true ? 'read' : 'external')
  return {
    id: `${server}.${name}`,
    description: (description ?? annotations?.title ?? name).slice(0, maxDescription),
    inputSchema: JSON.parse(JSON.stringify(inputSchema)) as JsonObject, // what stringify wrote of an object
    effects: own,
    idempotent: own === 'read' || annotations?.idempotentHint === true,
    returnsUntrustedContent: true,
    async execute(args, { signal, progress }) {
      const answer = await connection.callTool(name, args, signal, progress)
      return toMcpResult(`${server}.${name}`, answer, maxResultBytes)
    },
  }
}
