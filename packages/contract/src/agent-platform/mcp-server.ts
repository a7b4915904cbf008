import * as z from 'zod/mini'
import { clearable, CustomId, headerSecret, secretText, shortText, Slug, webAddress } from './values.ts'

/** Name of an MCP server. Its tools are called `name.tool`. */
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

/** How the platform gets an access token for an MCP server. */
export const McpGrantType = z.enum(['client_credentials', 'authorization_code'])
export type McpGrantType = z.infer<typeof McpGrantType>

/**
 * Whose login an MCP server gets. `operator`: one for everybody. `user`: each user has its own, and a run waits until its user has
 * logged in.
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

/** An MCP server as an operator configures it: a program of this machine, or an address. */
export const McpServerInput = z
  .object({
    ...fields,
    /** Environment of the program besides PATH, LANG and HOME. Absent keeps the stored one, `null` clears it. */
    env: clearable(environment),
    /** Headers of each request. Absent keeps the stored ones, `null` clears them. */
    headers: clearable(headers),
    /**
     * Absent or `null`: a server without `headers` that rejects requests can be authorized like one with `authorization_code`. A
     * `client_secret` that is absent keeps the stored one, `null` clears it.
     */
    oauth: clearable(z.object({ ...oauthFields, client_secret: clearable(secretText) })),
    /** Default `operator`. `user` needs `oauth` with `authorization_code`. */
    login: clearable(McpLogin),
  })
  .check(isOneKind, hasPersonalOAuth, hasClient)
export type McpServerInput = z.infer<typeof McpServerInput>

/** An MCP server as `mcp.json` holds it under `mcpServers`. An unknown key is an error. */
export const StoredMcpServer = z
  .strictObject({
    ...fields,
    /** Written by other programs. The kind follows from `command` and `url`. */
    type: z.optional(z.enum(['stdio', 'http', 'streamable-http'])),
    env: z.optional(environment),
    headers: z.optional(headers),
    oauth: z.optional(z.strictObject({ ...oauthFields, client_secret: z.optional(secretText) })),
    login: z.optional(McpLogin),
  })
  .check(isOneKind, hasPersonalOAuth, hasClient)
export type StoredMcpServer = z.infer<typeof StoredMcpServer>

/** An MCP server as it may be shown: names of secrets, and never their values. */
export const McpServerView = z.object({
  name: z.string(),
  /** `app`: the app names it in code, so that it cannot be changed here. `file`: it is in `mcp.json`. */
  source: z.enum(['app', 'file']),
  command: z.optional(z.string()),
  /** An argument that looks like a secret is `[secret]`. Sent back unchanged, the stored one stays. */
  args: z.optional(z.array(z.string())),
  cwd: z.optional(z.string()),
  /** A part that looks like a secret is `[secret]`. Sent back unchanged, the stored address stays. */
  url: z.optional(z.string()),
  tools: z.optional(z.array(z.string())),
  /** Names of the variables. */
  env: z.optional(z.array(z.string())),
  /** Names of the headers. */
  headers: z.optional(z.array(z.string())),
  /** Also of a server without `oauth` that has asked for an authorization. */
  oauth: z.optional(
    z.object({
      grant_type: McpGrantType,
      /** Absent: the platform registers, or uses its own client id metadata document. */
      client_id: z.optional(z.string()),
      scope: z.optional(z.string()),
      has_client_secret: z.boolean(),
      /** Whether there is an access token. With `login: "user"` it is the operator's own, for tests of the server only. */
      is_authorized: z.boolean(),
    }),
  ),
  /** Absent: `operator`. */
  login: z.optional(McpLogin),
  /** Why the server cannot be used: its entry in `mcp.json` is invalid, or the last attempt to reach it failed. */
  problem: z.optional(z.string()),
})
export type McpServerView = z.infer<typeof McpServerView>

/** A tool that a server lists. */
export const McpToolView = z.object({
  name: z.string(),
  description: z.optional(z.string()),
  /** Whether agents get it: the server's `tools` may leave it out. */
  is_offered: z.boolean(),
})
export type McpToolView = z.infer<typeof McpToolView>

/** What came of a test: the tools, or the reason of the failure. */
export const McpServerTest = z.object({
  ok: z.boolean(),
  /** Absent after a failure. */
  tools: z.optional(z.array(McpToolView)),
  /** Protocol version that both sides speak. */
  protocol_version: z.optional(z.string()),
  /** Why it failed, for people. */
  error: z.optional(z.string()),
  /** Whether a person has to give access first: see `authorizeMcpServer`. */
  needs_authorization: z.optional(z.boolean()),
})
export type McpServerTest = z.infer<typeof McpServerTest>

/** Where the identity provider sends the person after they gave access. */
export const McpAuthorizationRequest = z.object({
  /** Address of a page of this platform, registered with the identity provider. https, or a loopback address. */
  redirect_uri: webAddress.check(
    z.refine(
      (text) => /^https:|^http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?(?:\/|$)/i.test(text),
      'must be https, or a loopback address',
    ),
  ),
})
export type McpAuthorizationRequest = z.infer<typeof McpAuthorizationRequest>

/** What the identity provider added to `redirect_uri`. */
export const McpAuthorizationResponse = z.object({
  state: z.string().check(z.minLength(1), z.maxLength(500)),
  code: z.string().check(z.minLength(1), z.maxLength(10_000)),
  /** Issuer of the code (RFC 9207), if there is one. */
  iss: z.optional(z.string().check(z.maxLength(2000))),
})
export type McpAuthorizationResponse = z.infer<typeof McpAuthorizationResponse>

/** What the identity provider adds to the address that a person comes back to. */
export const McpAuthorizationRedirect = z.object({
  /** Proves who comes back. Valid once, and for ten minutes. */
  state: z.optional(z.string().check(z.maxLength(500))),
  code: z.optional(z.string().check(z.maxLength(10_000))),
  iss: z.optional(z.string().check(z.maxLength(2000))),
  /** Why `code` is absent. */
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
  /** The platform proves itself with PKCE. */
  token_endpoint_auth_method: z.literal('none'),
})
export type McpClientMetadata = z.infer<typeof McpClientMetadata>

/** A login of a user at an MCP server, without its token. */
export const McpUserLogin = z.object({
  user_id: CustomId,
  /** When the user logged in. */
  created_at: z.string(),
})
export type McpUserLogin = z.infer<typeof McpUserLogin>
