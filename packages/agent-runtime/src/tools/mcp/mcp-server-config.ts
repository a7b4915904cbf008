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

/** An MCP server that runs as a process of this machine and speaks over its standard streams. */
export interface McpStdioServer extends AnyMcpServerConfig {
  readonly command: string
  readonly args?: readonly string[]
  /** Environment variables in addition to PATH, LANG and HOME. No others are passed on. */
  readonly env?: Readonly<Record<string, string>>
  /** Folder it runs in. @default the system's folder for temporary files */
  readonly cwd?: string
}

/** An MCP server that is reached by streamable HTTP. */
export interface McpHttpServer extends AnyMcpServerConfig {
  readonly url: string
  /** Sent with each request; credentials go here. */
  readonly headers?: Readonly<Record<string, string>>
  /** How access tokens are gotten. @default `authorization_code` without headers, if the server rejects requests */
  readonly oauth?: McpOAuth
  /**
   * Whose login it gets: one for everybody, or one of each user. With `user`, a run waits until its user has logged in; needs `oauth`
   * with `authorization_code`.
   *
   * @default 'operator'
   */
  readonly login?: 'operator' | 'user'
}

/** A client of the identity provider of an MCP server. */
export interface McpOAuth {
  /** `client_credentials`: the platform itself. `authorization_code`: a person gives it access, with PKCE. */
  readonly grant_type: 'client_credentials' | 'authorization_code'
  /**
   * An https address is that of a client id metadata document.
   *
   * @default the platform's own document if the identity provider supports it, else a client that it registers; only with
   * `authorization_code`
   */
  readonly client_id?: string
  readonly client_secret?: string
  /** Scopes to ask for, separated by spaces. @default those that the server names */
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
