import { createHash, randomUUID } from 'node:crypto'
import type { McpAuthorizationResponse } from '@homeward/contract/agent-platform'
import type { ConfigFile } from '../../settings/config-file.ts'
import { reasonOf } from '../../ports/reason-of.ts'
import { RuntimeError } from '../../ports/runtime-error.ts'
import { loginLinkMs } from '../../ports/user-logins.ts'
import { createRedactor } from '../../secrets/redact.ts'
import { loadMcpClient } from './load-mcp-client.ts'
import type { McpLinkOptions } from './mcp-link.ts'
import { createMcpAuthProvider, type McpInteraction } from './mcp-oauth.ts'
import { secretsOf } from './mcp-secrets.ts'
import type { McpHttpServer, McpOAuth } from './mcp-server-config.ts'
import { type AllMcpTokens, markOf, type McpTokens } from './mcp-tokens.ts'
import { createTokenFetch } from './token-fetch.ts'

/** A server that a person gives access to. */
export type PersonalServer = McpHttpServer & { readonly oauth: McpOAuth }

/** Who gets the access that a person gives: a user, or the operator. */
export interface AuthorizedServer {
  readonly name: string
  readonly userId?: string
}

/** Authorizations that people go through in a browser, each once and within ten minutes, also after a restart. */
export interface McpAuthorizations {
  /** @returns where a person gives access; undefined if the stored token still works. @throws {RuntimeError} `run_error` */
  begin(server: AuthorizedServer, redirectUri: string): Promise<string | undefined>
  /** @throws {RuntimeError} `not_found`, `run_error` */
  finish(answer: McpAuthorizationResponse): Promise<AuthorizedServer>
}

/** What {@link createMcpAuthorizations} is built from. */
interface McpAuthorizationsOptions extends Omit<McpLinkOptions, 'tokens'> {
  readonly tokens: AllMcpTokens
  /** `mcp-logins.json` in the data home, which only its user may read: authorizations under way. */
  readonly pending: ConfigFile
  /** @throws {RuntimeError} `not_found`, `conflict` if no person gives access to it */
  readonly find: (name: string) => PersonalServer
}

/** An authorization under way, as it is stored by the hash of its state. */
interface Pending extends AuthorizedServer, Omit<McpInteraction, 'state' | 'address'> {
  /** In milliseconds since the epoch. */
  readonly until: number
  /** Of its configuration: see {@link markOf}. */
  readonly of: string
}

const maxPending = 1000
/** Of one server for the same user. */
const maxOfUser = 5

/** Begins with those that are stored. */
export function createMcpAuthorizations(options: McpAuthorizationsOptions): McpAuthorizations {
  const { now, pending, tokens, find } = options
  const tokensFor = ({ userId }: AuthorizedServer): McpTokens =>
    userId === undefined ? tokens : tokens.of(userId)

  const note = (state: string, entry: Pending): Promise<void> =>
    tokens.exclusively(entry.name, () =>
      pending.change((content) => {
        const open = Object.entries(content as Readonly<Record<string, Pending>>).filter(
          ([, { until }]) => until > now(),
        )
        const isSame = ([, { name, userId }]: (typeof open)[number]) =>
          name === entry.name && userId === entry.userId
        const same = open.filter(isSame)
        const surplus = new Set(same.slice(0, Math.max(0, same.length - maxOfUser + 1)))
        const left = open.filter((each) => !surplus.has(each)).slice(1 - maxPending)
        return { ...Object.fromEntries(left), [hashOf(state)]: entry }
      }),
    )

  async function take(state: string): Promise<Pending> {
    const key = hashOf(state)
    let found: Pending | undefined
    if (Object.hasOwn(pending.read(), key))
      await tokens.exclusively('', () =>
        pending.change((content) => {
          const { [key]: taken, ...others } = content as Readonly<Record<string, Pending>>
          found = taken
          return others
        }),
      )
    if (found !== undefined && found.until > now()) return found
    const text =
      'Authorizing an MCP server failed: the state is unknown, was used before, or has expired. Start the authorization again.'
    throw new RuntimeError('not_found', text)
  }

  return {
    async begin(server, redirectUri) {
      const config = find(server.name)
      const state = `${randomUUID()}${randomUUID()}`
      const interaction: McpInteraction = { redirectUri, state }
      const answer = await ask({ ...options, ...server, config, interaction, tokens: tokensFor(server) })
      if (answer === 'AUTHORIZED') return undefined
      const { state: _, address, ...rest } = interaction
      await note(state, { ...server, ...rest, until: now() + loginLinkMs, of: markOf(config) })
      return address?.href
    },
    async finish({ state, code, iss }) {
      const { name, userId, until: _, of, ...rest } = await take(state)
      const config = find(name)
      if (markOf(config) !== of) {
        const text = `Authorizing the MCP server "${name}" failed: its configuration has changed. Start the authorization again.`
        throw new RuntimeError('not_found', text)
      }
      const server = { name, ...(userId !== undefined && { userId }) }
      const own = tokensFor(server)
      const interaction = { ...rest, state }
      const more = { authorizationCode: code, ...(iss !== undefined && { iss }) }
      await own.exclusively(name, () => ask({ ...options, name, config, interaction, tokens: own }, more))
      return server
    },
  }
}

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex')

interface Question extends McpLinkOptions {
  readonly name: string
  readonly config: PersonalServer
  readonly interaction: McpInteraction
}

/** Asks the identity provider. @throws {RuntimeError} `run_error` without a secret in it */
async function ask(
  { name, config, interaction, load, tokens, ...options }: Question,
  more: { readonly authorizationCode?: string; readonly iss?: string } = {},
) {
  const { auth } = await loadMcpClient(load)
  const provider = createMcpAuthProvider(name, config, tokens, interaction)
  try {
    const fetchFn = createTokenFetch(name, config, tokens, options)
    return await auth(provider, { serverUrl: config.url, fetchFn, ...more })
  } catch (cause) {
    const secrets = [...secretsOf(config), ...(more.authorizationCode ? [more.authorizationCode] : [])]
    const said = createRedactor(secrets).text(reasonOf(cause)).slice(0, 500)
    const text = `Authorizing the MCP server "${name}" failed: ${said}. Check its address and its OAuth client.`
    throw new RuntimeError('run_error', text, { cause, retryable: true })
  }
}
