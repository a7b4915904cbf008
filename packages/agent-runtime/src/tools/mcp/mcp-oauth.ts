import type { OAuthClientProvider, OAuthDiscoveryState } from '@modelcontextprotocol/client'
import { RuntimeError } from '../../ports/runtime-error.ts'
import type { McpHttpServer, McpOAuth } from './mcp-server-config.ts'
import type { McpTokens } from './mcp-tokens.ts'

/** Says that a person has to give access before anything else can happen. */
export class McpAuthorizationNeeded extends Error {
  override readonly name = 'McpAuthorizationNeeded'
  constructor(cause?: unknown) {
    super('it is not authorized. Open MCP servers in the dashboard and authorize it', { cause })
  }
}

/** Whether using a server failed because nobody has given access. */
export const needsAuthorization = (error: unknown): boolean =>
  RuntimeError.is(error) && error.cause instanceof McpAuthorizationNeeded

/** An authorization that a person goes through in a browser. */
export interface McpInteraction {
  readonly redirectUri: string
  readonly state: string
  /** Where the person gives access. Set once it is known. */
  address?: URL
  /** Proves that who brings the code is who asked for it (PKCE). */
  verifier?: string
  discovery?: OAuthDiscoveryState
}

/** Never opened: it only stands where the packages ask for an address. */
const nowhere = 'http://127.0.0.1/'

/**
 * How the client packages get access tokens for a server. Without an interaction nobody is asked: a token is refreshed, or the
 * attempt ends with {@link McpAuthorizationNeeded}.
 */
export function createMcpAuthProvider(
  name: string,
  config: McpHttpServer & { readonly oauth: McpOAuth },
  tokens: McpTokens,
  interaction?: McpInteraction,
): OAuthClientProvider {
  const { oauth } = config
  const isPersonal = oauth.grant_type === 'authorization_code'
  let discovery: OAuthDiscoveryState | undefined = interaction?.discovery
  const saved = () => tokens.find(name, config)
  return {
    redirectUrl: isPersonal ? (interaction?.redirectUri ?? nowhere) : undefined,
    clientMetadata: {
      client_name: 'Homeward',
      redirect_uris: isPersonal ? [interaction?.redirectUri ?? nowhere] : [],
      grant_types: isPersonal ? ['authorization_code', 'refresh_token'] : ['client_credentials'],
      ...(oauth.scope !== undefined && { scope: oauth.scope }),
    },
    ...(interaction && { state: () => interaction.state }),
    // the first identity provider that gave a token stays: the server cannot send the secret to another one
    clientInformation() {
      const issuer = saved()?.['issuer']
      return {
        client_id: oauth.client_id,
        ...(oauth.client_secret !== undefined && { client_secret: oauth.client_secret }),
        ...(typeof issuer === 'string' && { issuer }),
      }
    },
    tokens: () => saved(),
    saveTokens: (token) => tokens.save(name, config, token),
    redirectToAuthorization(address) {
      if (interaction === undefined) throw new McpAuthorizationNeeded()
      interaction.address = address
    },
    saveCodeVerifier(verifier) {
      if (interaction) interaction.verifier = verifier
    },
    codeVerifier: () => interaction?.verifier ?? '',
    discoveryState: () => discovery,
    saveDiscoveryState(state) {
      discovery = state
      if (interaction) interaction.discovery = state
    },
    async invalidateCredentials(scope) {
      discovery = undefined
      if (scope === 'all' || scope === 'tokens') await tokens.remove(name)
    },
    ...(!isPersonal && {
      prepareTokenRequest: (scope?: string) =>
        new URLSearchParams({ grant_type: 'client_credentials', ...(scope && { scope }) }),
    }),
  }
}
