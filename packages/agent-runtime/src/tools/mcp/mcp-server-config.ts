import type { ToolEffects } from '../../ports/tool.ts'

interface AnyMcpServerConfig {
  /** Longest that connecting, listing and a call may take, in milliseconds. @default 60000 */
  readonly timeoutMs?: number
  /**
   * What all of its tools do to the world. Without it a tool is `external`, or `read` when the server marks it as
   * read-only: a claim, but of a server that the operator chose, and one that lies does what it likes in any call.
   */
  readonly effects?: ToolEffects
  /** Names of the tools that agents get, as the server calls them. @default all of them */
  readonly tools?: readonly string[]
}

/** An MCP server that runs as a process on this machine and uses standard input and output. */
export interface McpStdioServer extends AnyMcpServerConfig {
  readonly command: string
  readonly args?: readonly string[]
  /** Environment variables in addition to PATH, LANG and HOME. No others are passed on. */
  readonly env?: Readonly<Record<string, string>>
  /** Working folder. @default the system's folder for temporary files */
  readonly cwd?: string
}

/** An MCP server with streamable HTTP. */
export interface McpHttpServer extends AnyMcpServerConfig {
  readonly url: string
  /** Headers of each request, such as credentials. */
  readonly headers?: Readonly<Record<string, string>>
  /** Method to get access tokens. @default `authorization_code` without headers, if the server rejects requests */
  readonly oauth?: McpOAuth
  /**
   * Login for the server: one for all users, or one per user. With `user`, a run waits until its user has logged in;
   * requires `oauth` with `authorization_code`.
   *
   * @default 'operator'
   */
  readonly login?: 'operator' | 'user'
}

/** OAuth client at the identity provider of an MCP server. */
export interface McpOAuth {
  /** `client_credentials`: the platform itself. `authorization_code`: a person grants access, with PKCE. */
  readonly grant_type: 'client_credentials' | 'authorization_code'
  /**
   * Client id. An https address refers to a client id metadata document.
   *
   * @default the platform's own document if the identity provider supports it, else a client that it registers; only
   * with `authorization_code`
   */
  readonly client_id?: string
  readonly client_secret?: string
  /** Scopes to request, separated by spaces. @default those that the server names */
  readonly scope?: string
}

/** An MCP server. Only operators should add servers, because a server runs code or receives data of agents. */
export type McpServerConfig = McpStdioServer | McpHttpServer

/** Whether each user has a login of its own. */
export const isPersonalServer = (config: McpServerConfig): config is McpHttpServer =>
  'url' in config && config.login === 'user'

/** How access tokens of a server are gotten; undefined if its headers are all that it gets. */
export function oauthOf({ oauth, headers = {} }: McpHttpServer): McpOAuth | undefined {
  if (oauth || Object.keys(headers).length > 0) return oauth
  return { grant_type: 'authorization_code' }
}
