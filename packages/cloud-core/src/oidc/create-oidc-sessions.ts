import { HttpError } from '@homeward/contract/handler'
import type * as Jose from 'jose'
import type { Session, Sessions } from '../ports/sessions.ts'
import { isRepeatedAuthorization, sendAuthorizationOnce } from '../keys/repeated-authorization.ts'
import { checkOidcOptions, type OidcOptions, type TokenRejection } from './oidc-options.ts'
import { createSigningKeys, KeysUnavailable, type SigningKeys } from './signing-keys.ts'
import { RefusedToken, verifyToken } from './verify-token.ts'

const maxTokenLength = 16_384
const maxUserIdLength = 512
const jwt = /^[\w-]+\.[\w-]+\.[\w-]+$/

/**
 * Creates sessions from the access tokens of an OpenID Connect provider, sent as `Authorization: Bearer`.
 *
 * A token must be signed by a key of the provider, be issued for this cloud, and not have expired. Requires the
 * package `jose`, which is loaded with the first token.
 *
 * An invalid token gets 401. If the provider's keys cannot be read, the response is 503.
 *
 * @throws {TypeError} if an option is invalid.
 * @example
 * const sessions = createOidcSessions({ issuer: 'https://login.example/realms/home', audience: 'homeward' })
 * const cloud = createDeviceCloud({ store, blobs, sessions })
 */
export function createOidcSessions(options: OidcOptions): Sessions {
  checkOidcOptions(options)
  const { onRejected = () => {}, toUserId = defaultUserId } = options
  let loading: Promise<{ jose: typeof Jose; keys: SigningKeys }> | undefined

  async function load() {
    const jose = await loadLibrary()
    return { jose, keys: createSigningKeys(options, jose) }
  }

  async function verify(token: string): Promise<Session> {
    if (token.length > maxTokenLength || !jwt.test(token)) throw new RefusedToken('malformed')
    loading ??= load()
    const { jose, keys } = await loading.catch((error: unknown) => {
      loading = undefined
      throw error
    })
    const claims = await verifyToken(token, options, keys, jose)
    const userId = toUserId(claims)
    if (userId === '' || userId.length > maxUserIdLength) throw new RefusedToken('subject')
    const actor = options.toActor?.(claims)
    const may = options.toGrants?.(claims)
    return { userId, ...(actor !== undefined && { actor }), ...(may !== undefined && { may }) }
  }

  return {
    async resolve(request) {
      const header = request.header('authorization') ?? ''
      if (isRepeatedAuthorization(header)) throw unauthorized(sendAuthorizationOnce)
      const [, token] = /^Bearer +(\S+)$/i.exec(header) ?? []
      if (token === undefined) return null
      try {
        return await verify(token)
      } catch (error) {
        if (error instanceof KeysUnavailable) throw unavailable(options)
        if (!(error instanceof RefusedToken)) throw error
        onRejected(error.reason)
        throw unauthorized(challengeOf(error.reason))
      }
    },
  }
}

/** With the issuer: the same subject at another provider is another user, and no user of a trial is one of either. */
function defaultUserId({ iss, sub }: Readonly<Record<string, unknown>>): string {
  return `${String(iss)}#${String(sub)}`
}

/** The documented body; the header says what to do about it (RFC 6750). */
function unauthorized(challenge: string): HttpError {
  return new HttpError(401, { error: 'Unauthorized' }, { 'www-authenticate': challenge })
}

const challengeOf = (reason: TokenRejection) =>
  `Bearer error="invalid_token", error_description="${descriptions[reason]}"`

const descriptions: Readonly<Record<TokenRejection, string>> = {
  malformed: 'The token is not a signed JWT',
  algorithm: 'The token is signed by an algorithm that this server does not accept',
  'unknown-key': 'The provider has no key with the id of the token',
  signature: 'The signature does not match',
  expired: 'The token has expired. Get a new one',
  'not-yet-valid': 'The token is not valid yet. Check the clocks',
  issuer: 'The token is from another issuer',
  audience: 'The token is for another audience',
  'authorized-party': 'The token was issued to a client that this server does not accept',
  subject: 'The token has no user',
  claims: 'The token lacks a claim, or has another type',
}

function unavailable({ coolDownMs = 30_000 }: OidcOptions): HttpError {
  const message = 'The identity provider does not respond, so the session cannot be checked. Try again later.'
  const seconds = Math.max(1, Math.ceil(coolDownMs / 1000))
  return new HttpError(503, { error: 'Service unavailable', message }, { 'retry-after': String(seconds) })
}

async function loadLibrary(): Promise<typeof Jose> {
  try {
    return await import('jose')
  } catch (cause) {
    throw new Error(
      'Checking a session failed: the package "jose" is not installed. Run `npm install jose`.',
      {
        cause,
      },
    )
  }
}
