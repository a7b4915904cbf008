import type { Logger } from '../../ports/logger.ts'
import type { Tool } from '../../ports/tool.ts'
import { RuntimeError } from '../../ports/runtime-error.ts'
import { reasonOf } from '../../ports/reason-of.ts'
import type { KnownTools } from './known-tools.ts'
import type { McpConfigs } from './mcp-configs.ts'
import { createMcpConnection } from './mcp-connection.ts'
import type { McpConnection } from './mcp-connection.ts'
import type { McpLinkOptions } from './mcp-link.ts'
import { needsAuthorization } from './mcp-oauth.ts'
import { isPersonalServer, type McpServerConfig } from './mcp-server-config.ts'
import type { AllMcpTokens } from './mcp-tokens.ts'
import type { McpTool, McpToolList } from './read-answers.ts'
import { isUsable, toTools } from './to-tools.ts'

/** The operator's MCP servers. */
export interface McpServers {
  /**
   * Tools of the named servers, with ids `server.tool`. A server that is away keeps the tools that it listed last: a call
   * says that it is away. A server that never listed any is named in `missing`, and in `logins` if it lists them only once the user
   * has logged in.
   *
   * @param userId User of the run, for servers to which each user logs in. Absent: nobody has logged in.
   */
  toolsFor(names: readonly string[], signal: AbortSignal, userId?: string): Promise<McpToolset>
  /**
   * Asks a server for its tools, also right after a failure.
   *
   * @throws {RuntimeError} `not_found`, `run_error` with the reason; the signal's reason when it aborted
   */
  test(name: string, signal: AbortSignal): Promise<McpTest>
  /** Why a server could not be used at the last try; undefined if it could, or was not tried. */
  problemOf(name: string): string | undefined
  /** Whether a person has to give access to it: it has rejected the last try. */
  needsAuthorization(name: string): boolean
  /** Forgets the connection of a user. */
  endLogin(name: string, userId: string): void
  /** Ends the servers that were started. Safe to call twice. */
  close(): Promise<void>
}

/** Tools of some servers. */
interface McpToolset {
  readonly tools: Tool[]
  readonly missing: string[]
  /** Absent if no server needs a login. */
  readonly logins?: string[]
}

/** What a server says of itself. */
interface McpTest {
  readonly tools: readonly McpTool[]
  readonly protocolVersion: string | undefined
}

/** Settings of {@link createMcpServers}. */
export interface McpServersOptions extends Omit<McpLinkOptions, 'tokens'> {
  readonly tokens: AllMcpTokens
  readonly configs: Pick<McpConfigs, 'read'>
  readonly known: KnownTools
  readonly maxResultBytes: number
  readonly logger: Logger
}

interface OpenServer {
  readonly config: McpServerConfig
  readonly connection: McpConnection
  /** Whether it is a user's: what it lists is for this user only. */
  readonly isOfUser: boolean
  /** What it listed last, if it is a user's. */
  last?: McpToolList
  problem?: string
  isUnauthorized?: boolean
}

/** Makes the MCP servers reachable. Each is connected when an agent that names it runs first, and stays connected. */
export function createMcpServers(options: McpServersOptions): McpServers {
  const { known, maxResultBytes, logger } = options
  const open = createOpenServers(options)
  /** How many tools of a server were left out at its last list: the log says it once. */
  const leftOutOf = new Map<string, number>()

  const tellLeftOut = (server: string, count: number): void => {
    if (count > 0 && leftOutOf.get(server) !== count) {
      const why = 'there are too many, or they are too large or cannot be read'
      logger.warn(`Loading some tools of an MCP server failed: ${why}`, { server, atLeast: count })
    }
    leftOutOf.set(server, count)
  }

  const toolsOf = async (
    name: string,
    signal: AbortSignal,
    userId: string | undefined,
  ): Promise<Tool[] | 'login' | undefined> => {
    const server = open.findFor(name, userId)
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
      if (server.isOfUser && needsAuthorization(error)) return 'login'
      const reason = RuntimeError.is(error) ? error.message : 'unknown'
      logger.warn('Connecting to an MCP server failed', { server: name, reason })
      const last = server.isOfUser ? server.last?.tools : known.find(name, server.config)
      return last && toTools(name, server, last, maxResultBytes)
    }
  }

  return {
    async toolsFor(names, signal, userId) {
      const found = await Promise.all(names.map((name) => toolsOf(name, signal, userId)))
      const logins = names.filter((_, index) => found[index] === 'login')
      return {
        tools: found.flatMap((tools) => (typeof tools === 'object' ? tools : [])),
        missing: names.filter((_, index) => typeof found[index] !== 'object'),
        ...(logins.length > 0 && { logins }),
      }
    },
    async test(name, signal) {
      const server = open.findRested(name)
      if (server === undefined) throw unknownServer(name)
      const { tools } = await listTools(name, server, known, signal)
      return { tools, protocolVersion: server.connection.protocolVersion }
    },
    problemOf: (name) => open.find(name)?.problem,
    needsAuthorization: (name) => open.find(name)?.isUnauthorized === true,
    endLogin: (name, userId) => open.endOf(name, userId),
    close: () => open.close(),
  }
}

/** What is said of a name that no server has. */
export const unknownServer = (name: string) =>
  new RuntimeError(
    'not_found',
    `Using an MCP server failed: no MCP server has the name "${name}". List the MCP servers to find it.`,
  )

/** Connections of users at once. The one that was not used for the longest time is closed. */
const maxOfUsers = 200

/** No user has this id. */
const nobody = ''

const keyOf = (name: string, owner: string | undefined) => (owner === undefined ? name : `${name}/${owner}`)

/** The connections: one for each server, or one for each of its users. */
function createOpenServers(options: McpServersOptions) {
  const open = new Map<string, OpenServer>()
  const closing = new Set<Promise<void>>()
  let isClosed = false

  /** Calls that are under way end with it. */
  const end = (key: string, { connection }: OpenServer): void => {
    open.delete(key)
    const ended = connection.close().catch(() => undefined)
    closing.add(ended)
    void ended.then(() => closing.delete(ended))
  }

  /** Of the operator, or of a user, or of nobody: then it has no token. */
  function connect(name: string, owner: string | undefined, config: McpServerConfig): OpenServer {
    const key = keyOf(name, owner)
    const before = open.get(key)
    if (before !== undefined && before.config === config) {
      if (owner !== undefined) open.delete(key) // last used, last in line
      open.set(key, before)
      return before
    }
    if (before) end(key, before)
    const tokens = owner === undefined ? options.tokens : options.tokens.of(owner)
    const connection = createMcpConnection(name, config, { ...options, tokens })
    const server: OpenServer = { config, connection, isOfUser: owner !== undefined }
    open.set(key, server)
    if (isClosed) end(key, server)
    return server
  }

  function retireSurplus(): void {
    const ofUsers = Array.from(open).filter(([, { isOfUser }]) => isOfUser)
    for (const [key, { connection }] of ofUsers.slice(0, -maxOfUsers)) {
      open.delete(key)
      connection.retire()
    }
  }

  /** A server whose configuration was replaced is another one; undefined if there is none of that name. */
  const find = (name: string): OpenServer | undefined => {
    const config = options.configs.read().byName.get(name)
    for (const [key, server] of open)
      if (server.config !== config && (key === name || key.startsWith(keyOf(name, '')))) end(key, server)
    return config && connect(name, undefined, config)
  }

  return {
    find,
    /** The connection for a run of a user, or of nobody. */
    findFor(name: string, userId: string = nobody) {
      const config = options.configs.read().byName.get(name)
      if (config === undefined || !isPersonalServer(config)) return find(name)
      const server = connect(name, userId, config)
      retireSurplus()
      return server
    },
    endOf(name: string, userId: string) {
      const key = keyOf(name, userId)
      const server = open.get(key)
      open.delete(key)
      server?.connection.retire()
    },
    /** The same without the rest after a failure. What works stays as it is. */
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
    server.isUnauthorized = false
    if (server.isOfUser) server.last = listed
    else await known.note(name, server.config, listed)
    return listed
  } catch (error) {
    if (!signal.aborted) {
      server.problem = reasonOf(error)
      server.isUnauthorized = needsAuthorization(error)
    }
    throw error
  }
}
