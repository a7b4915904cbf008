import { createHash, randomUUID } from 'node:crypto'
import type { AuthResult } from '@modelcontextprotocol/client'
import type { McpAuthorizationResponse } from '@homeward/contract/agent-platform'
import { startLimit } from '../../concurrency/start-limit.ts'
import type { ConfigFile } from '../../settings/config-file.ts'
import { reasonOf } from '../../ports/reason-of.ts'
import { RuntimeError } from '../../ports/runtime-error.ts'
import { loginLinkMs } from '../../ports/user-logins.ts'
import { createRedactor } from '../../secrets/redact.ts'
import { loadMcpClient } from './load-mcp-client.ts'
import type { McpLinkOptions } from './mcp-link.ts'
import { createMcpAuthProvider, type McpInteraction } from './mcp-oauth.ts'
import { secretsOf } from './mcp-secrets.ts'
import { type McpHttpServer, oauthOf } from './mcp-server-config.ts'
import {
  type AllMcpTokens,
  markOf,
  type McpAccessToken,
  type McpChallenge,
  type McpTokens,
} from './mcp-tokens.ts'
import { createServerFetch } from './server-fetch.ts'
import { createTokenFetch, toChallenge } from './token-fetch.ts'

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
  readonly find: (name: string) => McpHttpServer
  /** Address of the platform's own client id metadata document for a redirect address; undefined without an https address. */
  readonly clientMetadataUrl: (redirectUri: string) => Promise<string | undefined>
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
      const own = tokensFor(server)
      const asked = own.challengeOf(server.name, config) ?? (await probe(config, options))
      const answer = await ask(
        { ...options, ...server, config, interaction, own, isStepUp: asked?.isStepUp },
        toAsked(config, own.find(server.name, config), asked),
      )
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
      await own.exclusively(name, () => ask({ ...options, name, config, interaction, own }, more))
      return server
    },
  }
}

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex')

const probeMs = 30_000

/** Asks a server what it wants, that has rejected nothing yet. An address that does not answer is found out about later. */
async function probe(config: McpHttpServer, options: McpLinkOptions): Promise<McpChallenge | undefined> {
  const limit = startLimit(probeMs, new AbortController().signal)
  try {
    const response = await createServerFetch(config, options)(config.url, {
      method: 'POST',
      headers: {
        ...config.headers,
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
      },
      body: '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}',
      signal: limit.signal,
    })
    await response.body?.cancel()
    return toChallenge(response, await loadMcpClient(options.load))
  } catch {
    return undefined
  } finally {
    limit.end()
  }
}

/** What is asked of the identity provider. More access is asked for in addition to what the token has. */
function toAsked(
  config: McpHttpServer,
  token: McpAccessToken | undefined,
  asked: McpChallenge | undefined,
): { readonly scope?: string; readonly resourceMetadataUrl?: URL } {
  const { scope: given } = oauthOf(config) ?? {}
  const granted = typeof token?.['scope'] === 'string' ? token['scope'] : undefined
  const parts = asked?.isStepUp ? [given, granted, asked.scope] : [given ?? asked?.scope]
  const scope = [...new Set(parts.flatMap((part) => part?.split(' ') ?? []))].join(' ')
  return {
    ...(scope !== '' && { scope }),
    ...(asked?.resourceMetadataUrl !== undefined && {
      resourceMetadataUrl: new URL(asked.resourceMetadataUrl),
    }),
  }
}

interface Question extends McpAuthorizationsOptions {
  readonly name: string
  readonly config: McpHttpServer
  readonly interaction: McpInteraction
  /** Tokens of the one who asks. */
  readonly own: McpTokens
  readonly isStepUp?: boolean | undefined
}

interface AskedFor {
  readonly authorizationCode?: string
  readonly iss?: string
  readonly scope?: string
  readonly resourceMetadataUrl?: URL
}

/** Asks the identity provider. @throws {RuntimeError} `run_error` without a secret in it */
async function ask(
  { name, config, interaction, own, isStepUp = false, ...options }: Question,
  more: AskedFor,
): Promise<AuthResult> {
  const modules = await loadMcpClient(options.load)
  const clientMetadataUrl = await options.clientMetadataUrl(interaction.redirectUri)
  const { clients } = options.tokens
  const about = { interaction, clients, clientMetadataUrl, isStepUp }
  const provider = createMcpAuthProvider(name, config, own, about)
  try {
    const fetchFn = createTokenFetch(name, config, own, { ...options, modules })
    return await modules.auth(provider, { serverUrl: config.url, fetchFn, ...more })
  } catch (cause) {
    const { authorizationCode: code } = more
    const { client_secret: secret } = interaction.client ?? {}
    const secrets = [...secretsOf(config), ...(code ? [code] : []), ...(secret ? [secret] : [])]
    const said = createRedactor(secrets).text(reasonOf(cause)).slice(0, 500)
    const text = `Authorizing the MCP server "${name}" failed: ${said}. Check its address and its OAuth client.`
    throw new RuntimeError('run_error', text, { cause, retryable: true })
  }
}
