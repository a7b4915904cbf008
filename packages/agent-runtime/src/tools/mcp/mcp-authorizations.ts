import { createHash, randomUUID } from 'node:crypto'
import type { McpAuthorizationResponse } from '@homeward/contract/agent-platform'
import { reasonOf } from '../../ports/reason-of.ts'
import { RuntimeError } from '../../ports/runtime-error.ts'
import { createRedactor } from '../../secrets/redact.ts'
import { loadMcpClient } from './load-mcp-client.ts'
import type { McpLinkOptions } from './mcp-link.ts'
import { createMcpAuthProvider, type McpInteraction } from './mcp-oauth.ts'
import { secretsOf } from './mcp-secrets.ts'
import type { McpHttpServer, McpOAuth } from './mcp-server-config.ts'
import { createTokenFetch } from './token-fetch.ts'

/** A server that a person gives access to. */
export type PersonalServer = McpHttpServer & { readonly oauth: McpOAuth }

/** Authorizations that people go through in a browser, each within ten minutes. Those under way end with the process. */
interface McpAuthorizations {
  /** @returns where a person gives access; undefined if the stored token still works. @throws {RuntimeError} `run_error` */
  begin(name: string, config: PersonalServer, redirectUri: string): Promise<string | undefined>
  /** @returns the name of the server. @throws {RuntimeError} `not_found`, `run_error` */
  finish(answer: McpAuthorizationResponse): Promise<string>
}

interface Authorization {
  readonly name: string
  readonly config: PersonalServer
  readonly interaction: McpInteraction
}

const pendingMs = 600_000
const maxPending = 100

/** Begins with none. */
export function createMcpAuthorizations(options: McpLinkOptions): McpAuthorizations {
  const { now } = options
  /** Those under way, by the hash of their state. */
  const pending = new Map<string, Authorization & { readonly until: number }>()

  const note = (authorization: Authorization): void => {
    for (const [key, { until }] of pending) if (until <= now()) pending.delete(key)
    for (const key of pending.keys()) if (pending.size >= maxPending) pending.delete(key)
    pending.set(hashOf(authorization.interaction.state), { ...authorization, until: now() + pendingMs })
  }

  const take = (state: string): Authorization => {
    const key = hashOf(state)
    const found = pending.get(key)
    pending.delete(key)
    if (found !== undefined && found.until > now()) return found
    const text =
      'Authorizing an MCP server failed: the state is unknown or has expired. Start the authorization again.'
    throw new RuntimeError('not_found', text)
  }

  return {
    async begin(name, config, redirectUri) {
      const interaction: McpInteraction = { redirectUri, state: `${randomUUID()}${randomUUID()}` }
      const authorization = { name, config, interaction }
      if ((await ask(authorization, options)) === 'AUTHORIZED') return undefined
      note(authorization)
      return interaction.address?.href
    },
    async finish({ state, code, iss }) {
      const begun = take(state)
      await ask(begun, options, { authorizationCode: code, ...(iss !== undefined && { iss }) })
      return begun.name
    },
  }
}

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex')

/** Asks the identity provider. @throws {RuntimeError} `run_error` without a secret in it */
async function ask(
  { name, config, interaction }: Authorization,
  { load, tokens, ...options }: McpLinkOptions,
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
