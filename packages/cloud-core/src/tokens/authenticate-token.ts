import { HttpError, rateLimited, type RequestView } from '@homeward/contract/handler'
import { toTimestamp } from '../context/time.ts'
import type { AuditLog } from '../audit/audit-log.ts'
import type { CloudContext } from '../context/cloud-context.ts'
import { hashText, isApiKey } from '../keys/api-key.ts'
import { createGuessLimits, isTokenExpired, isUseNoted, toLimitKey } from '@homeward/kit'
import type { Session } from '../ports/sessions.ts'
import type { StoredToken } from '../ports/token-store.ts'
import { isRepeatedAuthorization, sendAuthorizationOnce } from '../keys/repeated-authorization.ts'
import type { TokenCache } from './token-cache.ts'

/** What the operations on API tokens share. */
export interface TokenContext extends CloudContext {
  readonly audit: AuditLog
  readonly tokens: TokenCache
}

/** A session, and the API token that it comes from, if any. */
export interface CallerSession extends Session {
  readonly token?: StoredToken
}

/** What API tokens start with, before the underscore. */
export const tokenPrefixOf = (keyPrefix: string) => `${keyPrefix}t`

const challenge = 'Bearer error="invalid_token", error_description="The API token is not valid"'

/**
 * Finds the session of an API token (C30). Guesses are bounded per address like those of API keys (C12), and every failure
 * is the same 401, whatever is wrong with the token.
 */
export function createTokenAuthentication(context: TokenContext) {
  const { store, tokens, now, onError } = context
  const prefix = tokenPrefixOf(context.keyPrefix)
  const named = new RegExp(`^Bearer +(${prefix}_[^ ]*) *$`, 'i')
  const limits = createGuessLimits((hash) => tokens.wasKnown(hash))

  function reject(request: RequestView, atMs: number, header: string): never {
    const waitMs = limits.fail(toLimitKey(context.clientAddress(request)), atMs)
    if (waitMs > 0)
      throw rateLimited('Too many requests with an invalid API token from this address.', waitMs)
    const told = isRepeatedAuthorization(header) ? sendAuthorizationOnce : challenge
    throw new HttpError(401, { error: 'Unauthorized' }, { 'www-authenticate': told })
  }

  async function lookUp(hash: string, address: string, atMs: number): Promise<StoredToken | undefined> {
    if (!limits.mayLookUp(hash, address, atMs)) return undefined
    const { version } = tokens
    const token = await store.findTokenByHash(hash)
    if (token === undefined) limits.noteUnknown(hash, atMs)
    else if (version === tokens.version) tokens.set(token, atMs)
    return token
  }

  return {
    /** Whether an `Authorization` header means an API token: no other session is looked for then. */
    isMeant: (header: string) => named.test(header) || header.toLowerCase().includes(` ${prefix}_`),

    /** @throws {HttpError} 401 for a token that is unknown, revoked or expired; 429 after too many of them. */
    async resolve(request: RequestView): Promise<CallerSession> {
      const atMs = now()
      const header = request.header('authorization') ?? ''
      const secret = named.exec(header)?.[1]
      if (secret === undefined || !isApiKey(secret, prefix)) return reject(request, atMs, header)
      const hash = hashText(secret)
      const address = toLimitKey(context.clientAddress(request))
      const token = tokens.get(hash, atMs) ?? (await lookUp(hash, address, atMs))
      if (token === undefined || isTokenExpired(token.expiresAt, atMs)) return reject(request, atMs, header)
      return { userId: token.owner, actor: `token:${token.name}`, may: token.may, token }
    },

    /** Notes that a token was used. A failure to do so fails no request. */
    async noteUse({ token }: CallerSession): Promise<void> {
      const atMs = now()
      if (token === undefined || isUseNoted(token.lastUsedAt, atMs)) return
      const used = { ...token, lastUsedAt: toTimestamp(atMs) }
      if (tokens.get(token.hash, atMs) === token) tokens.set(used, atMs)
      await store.touchToken(token.id, used.lastUsedAt).catch(onError)
    },
  }
}

/**
 * Whether a token is still accepted, for streams that are open: it is neither revoked nor expired. A store that fails says
 * nothing about it.
 */
export async function isTokenValid(
  { hash }: StoredToken,
  { store, tokens, now }: Pick<TokenContext, 'store' | 'tokens' | 'now'>,
): Promise<boolean> {
  try {
    const token = tokens.get(hash, now()) ?? (await store.findTokenByHash(hash))
    return token !== undefined && !isTokenExpired(token.expiresAt, now())
  } catch {
    return true
  }
}
