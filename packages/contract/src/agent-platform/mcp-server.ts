import * as z from 'zod/mini'
import { clearable, CustomId, headerSecret, secretText, shortText, Slug, webAddress } from './values.ts'

/** Name of an MCP server. Its tools are named `name.tool`. */
export const McpServerName = Slug

const maxEntries = z.refine<Record<string, string>>(
  (map) => Object.keys(map).length <= 100,
  'must have at most 100 entries',
)

const environmentName = z
  .string()
  .check(z.regex(/^[A-Za-z_][A-Za-z0-9_]{0,199}$/, 'must have names of letters, digits and "_" only'))
const environment = z.record(environmentName, z.string().check(z.maxLength(10_000))).check(maxEntries)

const headerName = z
  .string()
  .check(z.regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,200}$/, 'must have names that HTTP allows'))
const headers = z.record(headerName, headerSecret).check(maxEntries)

const commandLine = z.array(z.string().check(z.maxLength(10_000))).check(z.maxLength(100))

const toolNames = z.array(shortText(128)).check(z.maxLength(500))

/** OAuth grant type for the access token of an MCP server. */
export const McpGrantType = z.enum(['client_credentials', 'authorization_code'])
export type McpGrantType = z.infer<typeof McpGrantType>

/**
 * Login that an MCP server receives. `operator`: one login for all users. `user`: each user has their own, and a run
 * waits until its user has logged in.
 */
export const McpLogin = z.enum(['operator', 'user'])
export type McpLogin = z.infer<typeof McpLogin>

const oauthFields = {
  /** `client_credentials`: the platform itself. `authorization_code`: a person who gives it access, with PKCE. */
  grant_type: McpGrantType,
  /**
   * An https address is the address of a client id metadata document. Absent, with `authorization_code`: the platform uses its own
   * document if the identity provider supports such documents, and else registers a client.
   */
  client_id: z.optional(shortText(2000)),
  /** Scopes to ask for, separated by spaces. Absent asks for those that the server names. */
  scope: z.optional(shortText(2000)),
}

const fields = {
  /** Program to start on this machine. It is never started in a shell. */
  command: z.optional(shortText(4096)),
  /** Arguments of the program, one text each. */
  args: z.optional(commandLine),
  /** Folder that the program starts in. @default the folder for temporary files */
  cwd: z.optional(shortText(4096)),
  /** Address of a server that speaks streamable HTTP, in place of a program. */
  url: z.optional(webAddress),
  /** Names of the tools that agents get. Absent stands for all of them. */
  tools: z.optional(toolNames),
}

const isOneKind = z.refine<{ command?: string | undefined; url?: string | undefined }>(
  ({ command, url }) => (command === undefined) !== (url === undefined),
  'must have either a command or a url',
)

interface OAuthFields {
  readonly login?: McpLogin | null | undefined
  readonly oauth?: OAuthInput | null | undefined
}

interface OAuthInput {
  readonly grant_type: McpGrantType
  readonly client_id?: string | undefined
  readonly client_secret?: string | null | undefined
}

const hasPersonalOAuth = z.refine<OAuthFields>(
  ({ login, oauth }) => login !== 'user' || oauth?.grant_type === 'authorization_code',
  { error: '"user" needs "oauth" with the grant_type authorization_code', path: ['login'] },
)

const hasClient = z.refine<OAuthFields>(
  ({ oauth }) =>
    !oauth ||
    oauth.client_id !== undefined ||
    (oauth.grant_type === 'authorization_code' && !oauth.client_secret),
  { error: 'is missing. Only the grant_type authorization_code can register', path: ['oauth', 'client_id'] },
)

/** Configuration of an MCP server: a program on this machine, or an address. */
export const McpServerInput = z
  .object({
    ...fields,
    /**
     * Environment of the program in addition to PATH, LANG and HOME. Absent keeps the stored values, `null` clears
     * them.
     */
    env: clearable(environment),
    /** Headers of each request. Absent keeps the stored headers, `null` clears them. */
    headers: clearable(headers),
    /**
     * OAuth settings.
     *
     * If absent or `null`, a server without `headers` that rejects requests can be authorized as with
     * `authorization_code`. An absent `client_secret` keeps the stored one; `null` clears it.
     */
    oauth: clearable(z.object({ ...oauthFields, client_secret: clearable(secretText) })),
    /** Default `operator`. `user` requires `oauth` with `authorization_code`. */
    login: clearable(McpLogin),
  })
  .check(isOneKind, hasPersonalOAuth, hasClient)
export type McpServerInput = z.infer<typeof McpServerInput>

/** An MCP server as in `mcp.json` under `mcpServers`. An unknown key is an error. */
export const StoredMcpServer = z
  .strictObject({
    ...fields,
    /** Written by other programs and ignored. `command` or `url` decides the kind. */
    type: z.optional(z.enum(['stdio', 'http', 'streamable-http'])),
    env: z.optional(environment),
    headers: z.optional(headers),
    oauth: z.optional(z.strictObject({ ...oauthFields, client_secret: z.optional(secretText) })),
    login: z.optional(McpLogin),
  })
  .check(isOneKind, hasPersonalOAuth, hasClient)
export type StoredMcpServer = z.infer<typeof StoredMcpServer>

/** An MCP server as responses show it: names of secrets without their values. */
export const McpServerView = z.object({
  name: z.string(),
  /** `app`: the app defines the server in code, so it cannot be changed by the API. `file`: `mcp.json` contains it. */
  source: z.enum(['app', 'file']),
  command: z.optional(z.string()),
  /**
   * Arguments. An argument that looks like a secret is shown as `[secret]`. If you send it back unchanged, the stored
   * one stays.
   */
  args: z.optional(z.array(z.string())),
  cwd: z.optional(z.string()),
  /**
   * Address. A part that looks like a secret is shown as `[secret]`. If you send it back unchanged, the stored
   * address stays.
   */
  url: z.optional(z.string()),
  tools: z.optional(z.array(z.string())),
  /** Names of the variables. */
  env: z.optional(z.array(z.string())),
  /** Names of the headers. */
  headers: z.optional(z.array(z.string())),
  /** OAuth settings. Also present for a server without `oauth` that has requested an authorization. */
  oauth: z.optional(
    z.object({
      grant_type: McpGrantType,
      /** Client id. If absent, the platform registers a client or uses its own client id metadata document. */
      client_id: z.optional(z.string()),
      scope: z.optional(z.string()),
      has_client_secret: z.boolean(),
      /**
       * Whether an access token is stored. With `login: "user"`, this is the operator's token, used only to test the
       * server.
       */
      is_authorized: z.boolean(),
    }),
  ),
  /** Absent means `operator`. */
  login: z.optional(McpLogin),
  /** Problem of the server: its entry in `mcp.json` is invalid, or the last connection failed. */
  problem: z.optional(z.string()),
})
export type McpServerView = z.infer<typeof McpServerView>

/** A tool that a server lists. */
export const McpToolView = z.object({
  name: z.string(),
  description: z.optional(z.string()),
  /** Whether agents can use the tool. The server's `tools` can exclude it. */
  is_offered: z.boolean(),
})
export type McpToolView = z.infer<typeof McpToolView>

/** Result of a test: the tools, or the reason for the failure. */
export const McpServerTest = z.object({
  ok: z.boolean(),
  /** Absent if the test failed. */
  tools: z.optional(z.array(McpToolView)),
  /** Negotiated protocol version. */
  protocol_version: z.optional(z.string()),
  /** Reason for the failure, for people. */
  error: z.optional(z.string()),
  /** Whether a person must authorize access first: see `authorizeMcpServer`. */
  needs_authorization: z.optional(z.boolean()),
})
export type McpServerTest = z.infer<typeof McpServerTest>

/** Address for the identity provider to redirect to after authorization. */
export const McpAuthorizationRequest = z.object({
  /** Address of a page of this platform, registered at the identity provider. Must be https or a loopback address. */
  redirect_uri: webAddress.check(
    z.refine(
      (text) => /^https:|^http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?(?:\/|$)/i.test(text),
      'must be https, or a loopback address',
    ),
  ),
})
export type McpAuthorizationRequest = z.infer<typeof McpAuthorizationRequest>

/** Parameters that the identity provider added to `redirect_uri`. */
export const McpAuthorizationResponse = z.object({
  state: z.string().check(z.minLength(1), z.maxLength(500)),
  code: z.string().check(z.minLength(1), z.maxLength(10_000)),
  /** Issuer of the code (RFC 9207), if present. */
  iss: z.optional(z.string().check(z.maxLength(2000))),
})
export type McpAuthorizationResponse = z.infer<typeof McpAuthorizationResponse>

/** Parameters of the identity provider's redirect. */
export const McpAuthorizationRedirect = z.object({
  /** Identifies the authorization attempt. Valid once, for ten minutes. */
  state: z.optional(z.string().check(z.maxLength(500))),
  code: z.optional(z.string().check(z.maxLength(10_000))),
  iss: z.optional(z.string().check(z.maxLength(2000))),
  /** Reason for a missing `code`. */
  error: z.optional(z.string().check(z.maxLength(500))),
})
export type McpAuthorizationRedirect = z.infer<typeof McpAuthorizationRedirect>

/** The platform as an OAuth client (OAuth Client ID Metadata Document). */
export const McpClientMetadata = z.object({
  /** Address of this document. */
  client_id: z.string(),
  client_uri: z.string(),
  client_name: z.string(),
  redirect_uris: z.array(z.string()),
  grant_types: z.array(z.string()),
  response_types: z.array(z.string()),
  /** Client authentication of the platform: PKCE without a secret. */
  token_endpoint_auth_method: z.literal('none'),
})
export type McpClientMetadata = z.infer<typeof McpClientMetadata>

/** A user's login at an MCP server, without the token. */
export const McpUserLogin = z.object({
  user_id: CustomId,
  /** Time of the login. */
  created_at: z.string(),
})
export type McpUserLogin = z.infer<typeof McpUserLogin>
