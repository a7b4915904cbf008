import { boundedFetch, HttpFailure } from '@homeward/kit/http'
import type * as OpenidClient from 'openid-client'
import type { SignInSettings } from '../settings/cloud-settings.ts'
import { Person } from './page-sessions.ts'

/** What {@link IdentityProvider.redeem} checks the answer of the provider against. */
interface Expected {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
}

/** The identity provider, as the pages use it: authorization code with PKCE. */
export interface IdentityProvider {
  /** Begins a sign-in. @returns the address that the browser opens, and what to check its return against */
  start(redirectUri: string): Promise<Expected & { readonly url: string }>
  /** Redeems the code in the address to which the provider sent the browser back. */
  redeem(address: URL, expected: Expected): Promise<Person>
  /** Address that ends the person's session at the provider. @returns undefined if the provider has none */
  endSessionUrl(returnTo: string): Promise<string | undefined>
  /** Reads the provider's discovery document. @throws {SignInFailure} that says why it cannot be used */
  check(): Promise<void>
}

/** Why a person could not be signed in. The pages show a text for each. */
export type SignInProblem = 'unreachable' | 'setup' | 'denied' | 'expired' | 'rejected'

/** Signing in failed. Holds no token, code or secret. */
export class SignInFailure extends Error {
  override readonly name = 'SignInFailure'
  readonly problem: SignInProblem
  readonly fact: string
  readonly fix: string

  constructor(problem: SignInProblem, fact: string, fix: string) {
    super(`Signing in failed: ${fact} ${fix}`)
    this.problem = problem
    this.fact = fact
    this.fix = fix
  }
}

const timeoutMs = 10_000
const maxBytes = 512 * 1024
/** How long the provider's addresses and keys are used before they are read again. */
const refreshAfterMs = 60 * 60 * 1000

/** Creates the client of the provider. It reads the provider's addresses when the first person signs in. */
export function createIdentityProvider(settings: SignInSettings): IdentityProvider {
  let known: { readonly config: OpenidClient.Configuration; readonly atMs: number } | undefined
  let reading: Promise<OpenidClient.Configuration> | undefined

  /** Reads the provider's addresses, once for everybody who waits: anybody can begin a sign-in. */
  function discover(client: typeof OpenidClient): Promise<OpenidClient.Configuration> {
    if (known && Math.abs(Date.now() - known.atMs) < refreshAfterMs) return Promise.resolve(known.config)
    reading ??= read(client).finally(() => (reading = undefined))
    return reading
  }

  async function read(client: typeof OpenidClient): Promise<OpenidClient.Configuration> {
    const config = await client.discovery(new URL(settings.issuer), settings.clientId, {}, authOf(client), {
      [client.customFetch]: boundedFetch({ timeoutMs, maxBytes }) as OpenidClient.CustomFetch, // never a stream
      execute: [
        client.enableNonRepudiationChecks,
        ...(settings.issuer.startsWith('http:') ? [client.allowInsecureRequests] : []),
      ],
    })
    known = { config, atMs: Date.now() }
    return config
  }

  /** The method that the provider supports. One that supports both accepts the secret in the body (RFC 6749). */
  function authOf(client: typeof OpenidClient): OpenidClient.ClientAuth {
    const { clientSecret } = settings
    if (clientSecret === undefined) return client.None()
    const [inBody, inHeader] = [client.ClientSecretPost(clientSecret), client.ClientSecretBasic(clientSecret)]
    return (server, ...more) => {
      const supported = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
      return (supported.includes('client_secret_post') ? inBody : inHeader)(server, ...more)
    }
  }

  async function use<Result>(
    run: (client: typeof OpenidClient, config: OpenidClient.Configuration) => Promise<Result> | Result,
  ): Promise<Result> {
    try {
      const client = await import('openid-client')
      return await run(client, await discover(client))
    } catch (error) {
      throw toFailure(error)
    }
  }

  return {
    start: (redirectUri) =>
      use(async (client, config) => {
        const [state, nonce] = [client.randomState(), client.randomNonce()]
        const verifier = client.randomPKCECodeVerifier()
        const url = client.buildAuthorizationUrl(config, {
          redirect_uri: redirectUri,
          scope: 'openid profile email',
          state,
          nonce,
          code_challenge: await client.calculatePKCECodeChallenge(verifier),
          code_challenge_method: 'S256',
        })
        return { url: url.href, state, nonce, verifier }
      }),
    redeem: (address, { state, nonce, verifier }) =>
      use(async (client, config) => {
        const tokens = await client.authorizationCodeGrant(config, address, {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: verifier,
          idTokenExpected: true,
        })
        const claims = tokens.claims()! // there is an id_token: it is expected
        return toPerson(fillClaims(claims, await readMore(client, config, tokens.access_token, claims)))
      }),
    endSessionUrl: (returnTo) =>
      use((client, config) =>
        config.serverMetadata().end_session_endpoint === undefined
          ? undefined
          : client.buildEndSessionUrl(config, { post_logout_redirect_uri: returnTo }).href,
      ),
    check: () => use(() => {}),
  }
}

/** Some providers name the person only at their address for that, as the standard says. */
async function readMore(
  client: typeof OpenidClient,
  config: OpenidClient.Configuration,
  accessToken: string,
  { sub, name, email }: OpenidClient.IDToken,
): Promise<Readonly<Record<string, unknown>>> {
  if (config.serverMetadata().userinfo_endpoint === undefined) return {}
  if (name !== undefined && email !== undefined) return {}
  try {
    return await client.fetchUserInfo(config, accessToken, sub)
  } catch (error) {
    // Signing in again helps then. Otherwise the signed token is enough: it names the person.
    if (isUnreachable(error, undefined)) throw error
    return {}
  }
}

/** The signed token decides; what it does not say is filled, but no address counts as verified because another one is. */
function fillClaims(signed: OpenidClient.IDToken, more: Readonly<Record<string, unknown>>): Claims {
  const claims = { ...more, ...signed }
  if (signed['email'] === undefined || signed['email'] === more['email']) return claims
  return { ...claims, email_verified: signed['email_verified'] }
}

type Claims = Readonly<Record<string, unknown>> & Pick<OpenidClient.IDToken, 'iss' | 'sub'>

function toPerson(claims: Claims): Person {
  const { iss, sub } = claims
  const email = claims['email']
  const names = [claims['name'], claims['preferred_username'], email]
  const name = names.find((each): each is string => typeof each === 'string' && each.trim() !== '') ?? sub
  // Some providers write it as text.
  const isVerified = typeof email === 'string' && /^true$/i.test(String(claims['email_verified']))
  // A cookie has room for 4,096 bytes.
  return Person.parse({
    userId: `${iss}#${sub}`,
    subject: sub,
    name: name.slice(0, 100),
    ...(isVerified && email.length <= 320 && { email }),
  })
}

/** The library's own errors carry answers of the provider, which may hold tokens: only codes are read. */
function toFailure(error: unknown): SignInFailure {
  const { code, error: answer } = error as { readonly code?: unknown; readonly error?: unknown }
  const fail = (problem: SignInProblem, fact: string, fix: string) => new SignInFailure(problem, fact, fix)
  if (answer === 'access_denied')
    return fail(
      'denied',
      'the identity provider did not let the person in.',
      'Assign the client to the person.',
    )
  if (answer === 'invalid_grant')
    return fail('expired', 'the identity provider no longer accepts the code.', 'Sign in again.')
  if (isUnreachable(error, answer))
    return fail('unreachable', 'the identity provider does not answer.', 'Try again later.')
  if (typeof answer === 'string' && /^\w{1,60}$/.test(answer))
    return fail('setup', `the identity provider answered "${answer}".`, checkClient)
  if (code === 'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED')
    return fail('setup', 'the identity provider has another issuer.', checkIssuer)
  if (code === 'OAUTH_RESPONSE_IS_NOT_CONFORM' || code === 'OAUTH_RESPONSE_IS_NOT_JSON')
    return fail('setup', 'the address does not answer as an identity provider.', checkIssuer)
  const name = typeof code === 'string' ? code : 'unknown'
  return fail('rejected', `the answer of the identity provider is not valid (${name}).`, checkClient)
}

const checkClient = 'Check OIDC_CLIENT_ID, OIDC_CLIENT_SECRET and the redirect URIs at the provider.'
const checkIssuer = 'Set OIDC_ISSUER exactly as the provider writes "issuer" in its discovery document.'

function isUnreachable(error: unknown, answer: unknown): boolean {
  if (answer === 'temporarily_unavailable' || answer === 'server_error') return true
  const { code, cause } = error as { readonly code?: unknown; readonly cause?: unknown }
  if (error instanceof HttpFailure || code === 'OAUTH_TIMEOUT') return true
  // Another status than the documented one, such as the 503 of a proxy before the provider.
  if (cause instanceof Response) return cause.status >= 500
  return cause instanceof Error && isUnreachable(cause, undefined)
}
