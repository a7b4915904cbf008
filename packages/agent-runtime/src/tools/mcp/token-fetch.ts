import { startLimit } from '../../concurrency/start-limit.ts'
import type { McpClientModules } from './load-mcp-client.ts'
import type { McpHttpServer } from './mcp-server-config.ts'
import type { McpAccessToken, McpChallenge, McpTokens } from './mcp-tokens.ts'
import { createServerFetch, type ServerFetchOptions } from './server-fetch.ts'

/** Longest that a token may take: shorter than a lock is believed in. */
const tokenMs = 30_000
const maxRejected = 10
const maxScope = 2000
const renewing: ReadonlySet<string | null> = new Set(['refresh_token', 'client_credentials'])

interface TokenFetchOptions extends ServerFetchOptions {
  readonly modules: Pick<McpClientModules, 'challengeOf'>
}

/** What a server asks for that rejected a request; undefined for another answer. */
export function toChallenge(
  response: Response,
  { challengeOf }: TokenFetchOptions['modules'],
): McpChallenge | undefined {
  const { scope, error, resourceMetadataUrl } = challengeOf(response)
  const isStepUp = response.status === 403 && error === 'insufficient_scope'
  if (response.status !== 401 && !isStepUp) return undefined
  return {
    isStepUp,
    ...(scope !== undefined && { scope: scope.slice(0, maxScope) }),
    ...(resourceMetadataUrl && { resourceMetadataUrl: resourceMetadataUrl.href }),
  }
}

const isSameAddress = (url: string | URL, config: McpHttpServer) =>
  new URL(String(url)).href === new URL(config.url).href

/**
 * A bounded fetch for one server, by which an expired token is renewed once. If several requests find the token expired, in this
 * process or in others of the same data home, one of them asks the identity provider. The others get the new token. A provider that
 * sees a refresh token twice may take all access away.
 */
export function createTokenFetch(
  name: string,
  config: McpHttpServer,
  tokens: McpTokens,
  { modules, ...options }: TokenFetchOptions,
): (url: string | URL, init?: RequestInit) => Promise<Response> {
  const fetch = createServerFetch(config, options)
  /** Access tokens that did not do. */
  const rejected = new Set<string>()

  const renew = async (url: string | URL, init: RequestInit, body: URLSearchParams): Promise<Response> => {
    const stored = tokens.find(name, config)
    if (stored && isNewer(stored, body, rejected)) return Response.json(stored)
    const limit = startLimit(tokenMs, init.signal ?? new AbortController().signal)
    try {
      const response = await fetch(url, { ...init, signal: limit.signal })
      const renewed = response.ok ? await readToken(response.clone()) : undefined
      if (renewed) await tokens.save(name, config, { ...stored, ...renewed })
      return response
    } finally {
      limit.end()
    }
  }

  return async (url, init = {}) => {
    const { body } = init
    if (body instanceof URLSearchParams && renewing.has(body.get('grant_type')))
      return tokens.exclusively(name, () => renew(url, init, body), init.signal ?? undefined)
    const response = await fetch(url, init)
    if (response.status !== 401 && response.status !== 403) return response
    noteRejected(rejected, init)
    const challenge = isSameAddress(url, config) ? toChallenge(response, modules) : undefined
    if (challenge) await tokens.noteChallenge(name, config, challenge)
    return response
  }
}

/** Whether the stored token came while this request waited. */
function isNewer(stored: McpAccessToken, body: URLSearchParams, rejected: ReadonlySet<string>): boolean {
  const refreshToken = body.get('refresh_token')
  if (refreshToken !== null && stored.refresh_token !== undefined && stored.refresh_token !== refreshToken)
    return true
  return rejected.size > 0 && !rejected.has(stored.access_token)
}

function noteRejected(rejected: Set<string>, { headers }: RequestInit): void {
  const [scheme, token] = new Headers(headers).get('authorization')?.split(' ') ?? []
  if (scheme?.toLowerCase() !== 'bearer' || token === undefined) return
  rejected.add(token)
  for (const oldest of rejected) if (rejected.size > maxRejected) rejected.delete(oldest)
}

async function readToken(response: Response): Promise<McpAccessToken | undefined> {
  const answer: unknown = await response.json().catch(() => undefined)
  if (typeof answer !== 'object' || answer === null) return undefined
  const { access_token: token, token_type: type } = answer as Partial<McpAccessToken>
  return typeof token === 'string' && typeof type === 'string' ? (answer as McpAccessToken) : undefined
}
