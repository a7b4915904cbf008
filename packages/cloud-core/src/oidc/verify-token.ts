import type * as Jose from 'jose'
import type { JWTPayload, JWTVerifyOptions } from 'jose'
import { KeysUnavailable, UnknownKey, type SigningKeys } from './signing-keys.ts'
import type { OidcOptions, TokenAlgorithm, TokenRejection } from './oidc-options.ts'

const defaultAlgorithms: readonly TokenAlgorithm[] = ['RS256', 'PS256', 'ES256', 'EdDSA']
/** What access tokens and identity tokens say that they are; anything else is for another purpose. */
const tokenTypes = new Set(['jwt', 'at+jwt', 'application/at+jwt'])

/** A token that is not good. Holds neither the token nor its claims. */
export class RefusedToken extends Error {
  override readonly name = 'RefusedToken'
  readonly reason: TokenRejection

  constructor(reason: TokenRejection) {
    super(`Verifying the token failed: ${reason}`)
    this.reason = reason
  }
}

/**
 * Verifies a token and gives its claims.
 *
 * @throws {RefusedToken} when it is not good, {@link KeysUnavailable} when that cannot be said.
 */
export async function verifyToken(
  token: string,
  options: OidcOptions,
  keys: SigningKeys,
  jose: typeof Jose,
): Promise<JWTPayload> {
  const { now = Date.now, clockToleranceSeconds = 30, maxTokenAgeSeconds } = options
  const limits: JWTVerifyOptions = {
    issuer: options.issuer,
    audience: [options.audience].flat(),
    algorithms: [...(options.algorithms ?? defaultAlgorithms)],
    clockTolerance: clockToleranceSeconds,
    requiredClaims: ['exp', 'sub'],
    currentDate: new Date(now()),
    ...(maxTokenAgeSeconds === undefined ? undefined : { maxTokenAge: maxTokenAgeSeconds }),
  }
  try {
    const { payload, protectedHeader } = await jose.jwtVerify(token, keys.find, limits)
    const type = protectedHeader.typ?.toLowerCase()
    if (type !== undefined && !tokenTypes.has(type)) throw new RefusedToken('claims')
    checkParty(payload, options.authorizedParties)
    if (typeof payload.sub !== 'string' || payload.sub === '') throw new RefusedToken('subject')
    return payload
  } catch (error) {
    if (error instanceof KeysUnavailable || error instanceof RefusedToken) throw error
    // The library's own errors carry the claims.
    throw new RefusedToken(toReason(error))
  }
}

function checkParty(payload: JWTPayload, parties: readonly string[] | undefined): void {
  if (parties === undefined) return
  const party = payload['azp'] ?? payload['client_id']
  if (typeof party !== 'string' || !parties.includes(party)) throw new RefusedToken('authorized-party')
}

const claimReasons: Readonly<Record<string, TokenRejection>> = {
  iss: 'issuer',
  aud: 'audience',
  nbf: 'not-yet-valid',
  iat: 'not-yet-valid',
  sub: 'subject',
  exp: 'expired',
}
const codeReasons: Readonly<Record<string, TokenRejection>> = {
  ERR_JWT_EXPIRED: 'expired',
  ERR_JOSE_ALG_NOT_ALLOWED: 'algorithm',
  ERR_JWS_SIGNATURE_VERIFICATION_FAILED: 'signature',
  ERR_JWKS_MULTIPLE_MATCHING_KEYS: 'unknown-key',
  ERR_JWKS_NO_MATCHING_KEY: 'unknown-key',
}

function toReason(error: unknown): TokenRejection {
  if (error instanceof UnknownKey) return 'unknown-key'
  if (!(error instanceof Error)) return 'malformed'
  const code = String(Reflect.get(error, 'code'))
  if (code === 'ERR_JWT_CLAIM_VALIDATION_FAILED')
    return claimReasons[String(Reflect.get(error, 'claim'))] ?? 'claims'
  return codeReasons[code] ?? 'malformed'
}
