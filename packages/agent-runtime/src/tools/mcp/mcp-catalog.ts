import type {
  McpAuthorizationResponse,
  McpAuthorizationRequest,
  McpClientMetadata,
  McpServerInput,
  McpServerTest,
  McpServerView,
  McpUserLogin,
} from '@homeward/contract/agent-platform'
import { RuntimeError } from '../../ports/runtime-error.ts'
import type { UserLogins } from '../../ports/user-logins.ts'
import { unknownServer, type McpServers } from './create-mcp-servers.ts'
import type { KnownTools } from './known-tools.ts'
import type { McpConfigs } from './mcp-configs.ts'
import type { McpLinkOptions } from './mcp-link.ts'
import type { ConfigFile } from '../../settings/config-file.ts'
import {
  type AuthorizedServer,
  createMcpAuthorizations,
  type McpAuthorizations,
} from './mcp-authorizations.ts'
import { clientMetadataOf, needsAuthorization } from './mcp-oauth.ts'
import { hideInAddress, hideInArguments } from './mcp-secrets.ts'
import {
  isPersonalServer,
  type McpHttpServer,
  type McpOAuth,
  type McpServerConfig,
  oauthOf,
} from './mcp-server-config.ts'
import type { AllMcpTokens } from './mcp-tokens.ts'

/** Configuration of MCP servers, for operators. */
export interface McpCatalog {
  /** Lists all servers, sorted by name. Secrets are not returned. */
  list(): Promise<McpServerView[]>
  /**
   * Adds or replaces a server in `mcp.json`. Absent secrets keep their value. Later runs use it.
   *
   * **A `command` is started on this machine:** only let operators call this method.
   *
   * @throws {RuntimeError} `conflict` for the name of one of the app's own servers, `validation_error` if there would
   * be more than 100
   */
  save(name: string, input: McpServerInput): Promise<McpServerView>
  /**
   * Deletes a server.
   *
   * @throws {RuntimeError} `not_found`, and `conflict` for the name of one of the app's own servers
   */
  delete(name: string): Promise<void>
  /** Connects to a server, and returns its tools or the reason for the failure. @throws {RuntimeError} `not_found` */
  test(name: string, signal?: AbortSignal): Promise<McpServerTest>
  /**
   * Starts an authorization, which is valid for ten minutes.
   *
   * @returns the address where a person grants access; undefined if the stored token still works
   * @throws {RuntimeError} `not_found`, `conflict` if the server does not use `authorization_code`, `run_error`
   */
  authorize(name: string, request: McpAuthorizationRequest): Promise<string | undefined>
  /** Completes an authorization. @throws {RuntimeError} `not_found` for an unknown or expired `state`, `run_error` */
  finishAuthorization(answer: McpAuthorizationResponse): Promise<McpServerView>
  /**
   * Returns the platform's client id metadata document; undefined if the setting `public_url` is not an https
   * address.
   */
  clientMetadata(): Promise<McpClientMetadata | undefined>
  /**
   * Lists users who have logged in to a server with `login: 'user'`, sorted by id.
   *
   * @throws {RuntimeError} `not_found`
   */
  logins(name: string): Promise<McpUserLogin[]>
  /** Deletes the login of a user. @throws {RuntimeError} `not_found` */
  deleteLogin(name: string, userId: string): Promise<void>
}

/** Where the page is that a person comes back to. */
const callbackPath = '/mcp-servers/callback'
const clientMetadataPath = '/mcp-servers/client-metadata.json'

/** What a catalog is made of. */
interface McpCatalogOptions extends Omit<McpLinkOptions, 'tokens'> {
  readonly tokens: AllMcpTokens
  /** Authorizations under way. */
  readonly pending: ConfigFile
  readonly configs: McpConfigs
  readonly known: KnownTools
  readonly servers: McpServers
  /** Address at which people reach the platform; undefined if it is not known. */
  readonly publicUrl: () => Promise<string | undefined>
  /** Lets runs go on that wait for the login of a user. */
  readonly onLogin: (server: string, userId: string) => Promise<void>
}

/** Makes the catalog of MCP servers, and what runs ask about logins of users. */
export function createMcpCatalog(options: McpCatalogOptions): McpCatalog & { readonly users: UserLogins } {
  const { configs, known, servers, tokens, onLogin } = options

  const configOf = (name: string): McpServerConfig => {
    const config = configs.read().byName.get(name)
    if (config === undefined) throw unknownServer(name)
    return config
  }
  const viewOf = (name: string, config: McpServerConfig): McpServerView => {
    const problem = servers.problemOf(name)
    const isAuthorized = 'url' in config && tokens.find(name, config) !== undefined
    const source = configs.isOfApp(name) ? 'app' : 'file'
    const isAsking = isAuthorized || servers.needsAuthorization(name)
    return {
      name,
      source,
      ...toView(config, isAuthorized, isAsking),
      ...(problem !== undefined && { problem }),
    }
  }

  const personalServer = (name: string): McpHttpServer => {
    const config = configOf(name)
    if ('url' in config && oauthOf(config)?.grant_type === 'authorization_code') return config
    const text = `Authorizing the MCP server "${name}" failed: its OAuth grant type must be "authorization_code". Configure its OAuth first.`
    throw new RuntimeError('conflict', text)
  }
  const clientMetadata = () => readClientMetadata(options)
  const authorizations = createMcpAuthorizations({
    ...options,
    find: personalServer,
    async clientMetadataUrl(redirectUri) {
      const { client_id: address, redirect_uris: uris } = (await clientMetadata()) ?? {}
      return uris?.includes(redirectUri) ? address : undefined
    },
  })

  const finish = async (answer: McpAuthorizationResponse): Promise<AuthorizedServer> => {
    const authorized = await authorizations.finish(answer)
    const { name, userId } = authorized
    if (userId !== undefined) await onLogin(name, userId)
    return authorized
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
      if (!(await configs.remove(name))) throw unknownServer(name)
      await Promise.all([tokens.removeAll(name), known.remove(name)])
      servers.problemOf(name) // ends its connection
    },
    test: (name, signal = new AbortController().signal) => testServer(servers, name, configOf(name), signal),
    clientMetadata,
    authorize: async (name, { redirect_uri: redirectUri }) =>
      await authorizations.begin({ name }, redirectUri),
    async finishAuthorization(answer) {
      const { name } = await finish(answer)
      return viewOf(name, configOf(name))
    },
    async logins(name) {
      const config = configOf(name)
      if (!isPersonalServer(config)) return []
      return tokens.users(name, config).map(({ userId, since }) => ({ user_id: userId, created_at: since }))
    },
    async deleteLogin(name, userId) {
      configOf(name)
      if (!(await tokens.of(userId).remove(name))) {
        const text = `Deleting a login failed: the user has not logged in to the MCP server "${name}". List its logins to find the user.`
        throw new RuntimeError('not_found', text)
      }
      servers.endLogin(name, userId)
    },
    users: createUserLogins(options, authorizations),
  }
}

/** Connects to a server, and says what came of it. */
async function testServer(
  servers: McpServers,
  name: string,
  { tools: wanted }: McpServerConfig,
  signal: AbortSignal,
): Promise<McpServerTest> {
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
    const needed = needsAuthorization(error) && { needs_authorization: true }
    return { ok: false, error: error.message, ...needed }
  }
}

/** The document that says who the platform is. Identity providers read it at an https address only. */
async function readClientMetadata({ publicUrl }: McpCatalogOptions): Promise<McpClientMetadata | undefined> {
  const base = (await publicUrl())?.replace(/\/+$/, '')
  if (base === undefined || !base.startsWith('https://')) return undefined
  return {
    client_id: base + clientMetadataPath,
    client_uri: base,
    ...clientMetadataOf(base + callbackPath),
    token_endpoint_auth_method: 'none',
  }
}

/** What runs ask about the logins of users. */
function createUserLogins(
  { configs, tokens, publicUrl }: McpCatalogOptions,
  authorizations: McpAuthorizations,
): UserLogins {
  return {
    async has(name, userId) {
      const config = configs.read().byName.get(name)
      if (config === undefined || !isPersonalServer(config)) return false
      const own = tokens.of(userId)
      return own.find(name, config) !== undefined && own.challengeOf(name, config)?.isStepUp !== true
    },
    async begin(name, userId) {
      const base = await publicUrl()
      if (base === undefined) {
        const text = `Logging in to the MCP server "${name}" failed: the address of this platform is not known. Set the setting "public_url".`
        throw new RuntimeError('run_error', text)
      }
      return await authorizations.begin({ name, userId }, base.replace(/\/+$/, '') + callbackPath)
    },
  }
}

/** A server without its secrets. */
function toView(
  config: McpServerConfig,
  isAuthorized: boolean,
  isAsking: boolean,
): Omit<McpServerView, 'name' | 'source'> {
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
  const { url, headers, login } = config
  const oauth = isAsking ? oauthOf(config) : config.oauth
  return {
    url: hideInAddress(url),
    ...(headers && { headers: Object.keys(headers) }),
    ...(oauth && { oauth: toOAuthView(oauth, isAuthorized) }),
    ...(login && { login }),
    ...tools,
  }
}

const toOAuthView = (
  { grant_type, client_id, client_secret: secret, scope }: McpOAuth,
  isAuthorized: boolean,
): NonNullable<McpServerView['oauth']> => ({
  grant_type,
  ...(client_id !== undefined && { client_id }),
  ...(scope !== undefined && { scope }),
  has_client_secret: secret !== undefined,
  is_authorized: isAuthorized,
})
