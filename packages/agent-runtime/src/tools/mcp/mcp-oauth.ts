import type { OAuthClientProvider, OAuthDiscoveryState } from '@modelcontextprotocol/client'
import { RuntimeError } from '../../ports/runtime-error.ts'
import { type McpHttpServer, oauthOf } from './mcp-server-config.ts'
import type { AllMcpTokens, McpClientRegistration, McpTokens } from './mcp-tokens.ts'

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
  /** The client that asks, if the configuration names none. */
  client?: McpClientRegistration
}

/** What an authorization is begun with, beside the interaction itself. */
interface InteractionOptions {
  readonly interaction: McpInteraction
  readonly clients: AllMcpTokens['clients']
  /** Address of the platform's own client id metadata document, if the identity provider can read it. */
  readonly clientMetadataUrl?: string | undefined
  /** Whether the token that is there does not do: the person has to give more access. */
  readonly isStepUp?: boolean
}

/** Never opened: it only stands where the packages ask for an address. */
const nowhere = 'http://127.0.0.1/'

/** The platform as a client of an identity provider. */
export const clientMetadataOf = (redirectUri: string) => ({
  client_name: 'Homeward',
  redirect_uris: [redirectUri],
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
})

/**
 * How the client packages get access tokens for a server. Without an interaction nobody is asked, and no client is registered: a
 * token is refreshed, or the attempt ends with {@link McpAuthorizationNeeded}.
 */
export function createMcpAuthProvider(
  name: string,
  config: McpHttpServer,
  tokens: McpTokens,
  options?: InteractionOptions,
): OAuthClientProvider {
  const { interaction } = options ?? {}
  const { grant_type, client_id: clientId, client_secret: secret, scope } = oauthOf(config) ?? {}
  const isPersonal = grant_type !== 'client_credentials'
  const { redirectUri = nowhere } = interaction ?? {}
  let discovery: OAuthDiscoveryState | undefined = interaction?.discovery
  const saved = () => tokens.find(name, config)
  return {
    redirectUrl: isPersonal ? redirectUri : undefined,
    clientMetadata: {
      ...(isPersonal
        ? clientMetadataOf(redirectUri)
        : { client_name: 'Homeward', redirect_uris: [], grant_types: ['client_credentials'] }),
      ...(scope !== undefined && { scope }),
    },
    ...(interaction && { state: () => interaction.state }),
    clientInformation(context) {
      if (clientId === undefined) return ownClient(context?.issuer)
      // the first identity provider that gave a token stays: the server cannot send the secret to another one
      const issuer = saved()?.['issuer']
      return {
        client_id: clientId,
        ...(secret !== undefined && { client_secret: secret }),
        ...(typeof issuer === 'string' && { issuer }),
      }
    },
    ...(clientId === undefined && options && registering(options)),
    tokens() {
      if (options?.isStepUp) return undefined // refreshing it gives the same access
      const asking = interaction?.client?.client_id
      // nor can another client refresh it
      if (asking !== undefined && tokens.clientOf(name, config)?.client_id !== asking) return undefined
      return saved()
    },
    saveTokens: (token) => tokens.save(name, config, token, interaction?.client),
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
      if (scope !== 'all' && scope !== 'client') return
      delete interaction?.client
      await options?.clients.remove(name)
    },
    ...(!isPersonal && {
      prepareTokenRequest: (scope?: string) =>
        new URLSearchParams({ grant_type: 'client_credentials', ...(scope && { scope }) }),
    }),
  }

  /** A client that is registered, for the identity provider that knows it. */
  async function ownClient(issuer: string | undefined): Promise<McpClientRegistration | undefined> {
    if (!options) {
      const client = tokens.clientOf(name, config)
      if (client && (issuer === undefined || client.issuer === issuer)) return client
      // the server trusts another identity provider now
      await tokens.remove(name)
      throw new McpAuthorizationNeeded()
    }
    // a client may ask for no more than it was registered for
    const known = options.isStepUp ? undefined : options.clients.find(name, config, redirectUri)
    const client = options.interaction.client ?? known
    if (client) options.interaction.client = client
    return client
  }

  function registering({ clients, clientMetadataUrl, interaction: own }: InteractionOptions) {
    return {
      ...(clientMetadataUrl !== undefined && { clientMetadataUrl }),
      async saveClientInformation(client: McpClientRegistration) {
        own.client = client
        await clients.save(name, config, own.redirectUri, client)
      },
    }
  }
}
