import type {
  McpAuthorizationResponse,
  McpAuthorizationRequest,
  McpServerInput,
  McpServerTest,
  McpServerView,
} from '@homeward/contract/agent-platform'
import { RuntimeError } from '../../ports/runtime-error.ts'
import type { McpServers } from './create-mcp-servers.ts'
import type { KnownTools } from './known-tools.ts'
import type { McpConfigs } from './mcp-configs.ts'
import type { McpLinkOptions } from './mcp-link.ts'
import { createMcpAuthorizations, type PersonalServer } from './mcp-authorizations.ts'
import { McpAuthorizationNeeded } from './mcp-oauth.ts'
import { hideInAddress, hideInArguments } from './mcp-secrets.ts'
import type { McpOAuth, McpServerConfig } from './mcp-server-config.ts'

/** The MCP servers as operators see and change them (A29). */
export interface McpCatalog {
  /** All of them, by name. Secrets are not returned. */
  list(): Promise<McpServerView[]>
  /**
   * Adds or replaces a server in `mcp.json`. Secrets that the input leaves out stay as they are. Runs that start from now on
   * use it. **A `command` is started on this machine:** only let operators call this.
   *
   * @throws {RuntimeError} `conflict` for a name of the app's own servers, `validation_error` if there would be more than 100
   */
  save(name: string, input: McpServerInput): Promise<McpServerView>
  /** @throws {RuntimeError} `not_found`, and `conflict` for the name of one of the app's own servers */
  delete(name: string): Promise<void>
  /** Connects to a server, and returns its tools or the reason for the failure. @throws {RuntimeError} `not_found` */
  test(name: string, signal?: AbortSignal): Promise<McpServerTest>
  /**
   * Begins an authorization, which is good for ten minutes.
   *
   * @returns where a person gives access; undefined if the stored token still works
   * @throws {RuntimeError} `not_found`, `conflict` if the server does not use `authorization_code`, `run_error`
   */
  authorize(name: string, request: McpAuthorizationRequest): Promise<string | undefined>
  /** Ends an authorization. @throws {RuntimeError} `not_found` for an unknown or expired `state`, `run_error` */
  finishAuthorization(answer: McpAuthorizationResponse): Promise<McpServerView>
}

/** What a catalog is made of. */
interface McpCatalogOptions extends McpLinkOptions {
  readonly configs: McpConfigs
  readonly known: KnownTools
  readonly servers: McpServers
}

/** Makes the catalog of MCP servers. */
export function createMcpCatalog(options: McpCatalogOptions): McpCatalog {
  const { configs, known, servers, tokens } = options
  const authorizations = createMcpAuthorizations(options)

  const configOf = (name: string): McpServerConfig => {
    const config = configs.read().byName.get(name)
    if (config === undefined)
      throw new RuntimeError(
        'not_found',
        `Using an MCP server failed: no MCP server has the name "${name}". List the MCP servers to find it.`,
      )
    return config
  }
  const viewOf = (name: string, config: McpServerConfig): McpServerView => {
    const problem = servers.problemOf(name)
    const isAuthorized = 'url' in config && tokens.find(name, config) !== undefined
    const source = configs.isOfApp(name) ? 'app' : 'file'
    return { name, source, ...toView(config, isAuthorized), ...(problem !== undefined && { problem }) }
  }

  const personalServer = (name: string): PersonalServer => {
    const config = configOf(name)
    if ('url' in config && config.oauth?.grant_type === 'authorization_code')
      return { ...config, oauth: config.oauth }
    const text = `Authorizing the MCP server "${name}" failed: its OAuth grant type must be "authorization_code". Configure its OAuth first.`
    throw new RuntimeError('conflict', text)
  }

  return {
    async list() {
      const { byName, problems } = configs.read()
      const usable = Array.from(byName, ([name, config]) => viewOf(name, config))
      const broken = Array.from(problems, ([name, problem]) => ({ name, source: 'file' as const, problem }))
      return [...usable, ...broken].toSorted((one, other) => (one.name < other.name ? -1 : 1))
    },
    async save(name, input) {
      await configs.save(name, input)
      return viewOf(name, configOf(name))
    },
    async delete(name) {
      if (!(await configs.remove(name)))
        throw new RuntimeError(
          'not_found',
          `Using an MCP server failed: no MCP server has the name "${name}". List the MCP servers to find it.`,
        )
      await Promise.all([tokens.remove(name), known.remove(name)])
      servers.problemOf(name) // ends its connection
    },
    async test(name, signal = new AbortController().signal) {
      const { tools: wanted } = configOf(name)
      try {
        const { tools, protocolVersion } = await servers.test(name, signal)
        return {
          ok: true,
          tools: tools.map((tool) => ({
            name: tool.name,
            ...(tool.description !== undefined && { description: tool.description.slice(0, 4000) }),
            is_offered: wanted?.includes(tool.name) ?? true,
          })),
          ...(protocolVersion !== undefined && { protocol_version: protocolVersion }),
        }
      } catch (error) {
        if (signal.aborted || !RuntimeError.is(error) || error.code !== 'run_error') throw error
        const isPersonal = error.message.includes(new McpAuthorizationNeeded().message)
        return { ok: false, error: error.message, ...(isPersonal && { needs_authorization: true }) }
      }
    },
    authorize: async (name, { redirect_uri: redirectUri }) =>
      await authorizations.begin(name, personalServer(name), redirectUri),
    async finishAuthorization(answer) {
      const name = await authorizations.finish(answer)
      return viewOf(name, configOf(name))
    },
  }
}

/** A server without its secrets. */
function toView(config: McpServerConfig, isAuthorized: boolean): Omit<McpServerView, 'name' | 'source'> {
  const tools = config.tools && { tools: [...config.tools] }
  if (!('url' in config)) {
    const { command, args, cwd, env } = config
    return {
      command,
      ...(args && { args: hideInArguments(args) }),
      ...(cwd !== undefined && { cwd }),
      ...(env && { env: Object.keys(env) }),
      ...tools,
    }
  }
  const { url, headers, oauth } = config
  return {
    url: hideInAddress(url),
    ...(headers && { headers: Object.keys(headers) }),
    ...(oauth && { oauth: toOAuthView(oauth, isAuthorized) }),
    ...tools,
  }
}

const toOAuthView = (
  { grant_type, client_id, client_secret: secret, scope }: McpOAuth,
  isAuthorized: boolean,
): NonNullable<McpServerView['oauth']> => ({
  grant_type,
  client_id,
  ...(scope !== undefined && { scope }),
  has_client_secret: secret !== undefined,
  is_authorized: isAuthorized,
})
