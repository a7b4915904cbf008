import { createHash, randomBytes } from 'node:crypto'
import { decrypt, encrypt, expiredTokenMs, isTokenExpired, isUseNoted } from '@homeward/kit'
import type { AccessToken, NewAccessToken } from '@homeward/contract/agent-platform'
import { RuntimeError } from '../ports/runtime-error.ts'
import { repeatableId, usedKey } from '../store/repeatable-id.ts'
import type { StoredToken, TokenStore } from '../store/ports/token-store.ts'

const maxTokens = 1000
/** How long a repeated request gets the secret again, in milliseconds, unless the token is used before. */
const sealedMs = 24 * 60 * 60 * 1000

/** What the secrets of access tokens start with. */
const prefix = 'hwp_'
const secretShape = /^hwp_[\w-]{43}$/

/** A new token, with the secret that is shown once. */
interface CreatedToken {
  readonly token: AccessToken
  /** Goes into `Authorization: Bearer <secret>`. */
  readonly secret: string
}

/** Access tokens with scopes. */
export interface Tokens {
  /**
   * Creates a token.
   *
   * The secret is returned only here, and for retries with the same `idempotency_key` until the token is used, for at
   * most 24 hours.
   *
   * @throws {RuntimeError} `validation_error` for a time in the past; `conflict` if there are already 1,000 tokens,
   * or the key belongs to a different request.
   */
  create(token: NewAccessToken): Promise<CreatedToken>
  /** Lists all tokens including expired ones, newest first. */
  list(signal?: AbortSignal): Promise<readonly AccessToken[]>
  /** Deletes a token. Every process rejects it at once. @throws {RuntimeError} `not_found` */
  delete(id: string): Promise<void>
  /**
   * Returns the token of a secret unless it has expired, and records its use, to the hour.
   *
   * @returns undefined for an invalid secret.
   */
  verify(secret: string): Promise<AccessToken | undefined>
}

/** Whether a text can be the secret of an access token at all. */
export const isTokenSecret = (text: string) => secretShape.test(text)

/** Whether a text seems to hold the secret of an access token, damaged or not. */
export const namesToken = (text: string) => text.toLowerCase().includes(prefix)

/** What {@link createTokens} is built from. */
interface TokensOptions {
  readonly store: TokenStore
  readonly now: () => number
  readonly createId: () => string
}

/** Access tokens over a store, which has only the hashes of their secrets. */
export function createTokens({ store, now, createId }: TokensOptions): Tokens {
  /** The token of a request that was sent before. */
  async function repeat(id: string, wanted: NewAccessToken): Promise<CreatedToken> {
    const token = await store.findToken(id)
    if (token === undefined || token.requestHash !== hashOfRequest(wanted)) throw usedKey(attempt, 'token')
    const { sealed, createdAt } = token
    const isOpen = sealed !== undefined && at(now() - sealedMs) <= createdAt
    const secret = isOpen ? await decrypt(sealed, wanted.idempotency_key!) : undefined
    if (secret !== undefined) return { token: toAccessToken(token), secret }
    throw new RuntimeError(
      'conflict',
      `${attempt} failed: this idempotency key already created the token ${id}, whose secret is shown only once. ` +
        'Send a new key.',
    )
  }

  return {
    async create(wanted) {
      const { name, scopes, agents, user_id: userId, allow, idempotency_key: key } = wanted
      const expiresAt = toExpiry(wanted, now())
      const secret = prefix + randomBytes(32).toString('base64url')
      const token: StoredToken = {
        id: key === undefined ? createId() : repeatableId(key, ['token']),
        hash: hashOf(secret),
        name,
        scopes: [...new Set(scopes)],
        ...(agents && { agents: [...new Set(agents)] }),
        ...(userId !== undefined && { userId }),
        ...(allow && { allow: [...new Set(allow)] }),
        createdAt: at(now()),
        ...(expiresAt !== undefined && { expiresAt }),
        ...(key !== undefined && { requestHash: hashOfRequest(wanted), sealed: await encrypt(secret, key) }),
      }
      const limits = {
        maxTokens,
        expiredBefore: at(now() - expiredTokenMs),
        sealedBefore: at(now() - sealedMs),
      }
      const isAdded = await store.insertToken(token, limits)
      if (isAdded) return { token: toAccessToken(token), secret }
      if (isAdded === undefined) return repeat(token.id, wanted)
      throw new RuntimeError(
        'conflict',
        `${attempt} failed: the limit of ${maxTokens} tokens is reached. Delete a token that you no longer need.`,
      )
    },

    list: async (signal) => (await store.listTokens(signal)).map(toAccessToken),

    async delete(id) {
      if (await store.deleteToken(id)) return
      throw new RuntimeError(
        'not_found',
        'Deleting a token failed: no token has this id. List the tokens to find it.',
      )
    },

    async verify(secret) {
      if (!isTokenSecret(secret)) return undefined
      const token = await store.findTokenByHash(hashOf(secret))
      const nowMs = now()
      if (token === undefined || isTokenExpired(token.expiresAt, nowMs)) return undefined
      if (isUseNoted(token.lastUsedAt, nowMs)) return toAccessToken(token)
      const lastUsedAt = at(nowMs)
      await store.touchToken(token.id, lastUsedAt)
      return toAccessToken({ ...token, lastUsedAt })
    },
  }
}

const attempt = 'Creating a token'

/** @throws {RuntimeError} `validation_error` for a time that has passed */
function toExpiry({ expires_at: wanted }: NewAccessToken, nowMs: number): string | undefined {
  if (wanted === undefined) return undefined
  const expiresAt = toTime(wanted)
  if (expiresAt > at(nowMs)) return expiresAt
  throw new RuntimeError('validation_error', `${attempt} failed: "expires_at" must be in the future.`)
}

/** A repeat has to ask for the same token. */
const hashOfRequest = ({ name, scopes, agents, user_id, allow, expires_at }: NewAccessToken) =>
  hashOf(
    JSON.stringify([name, scopes, agents, expires_at, ...(user_id === undefined ? [] : [user_id, allow])]),
  )

/** SHA-256 is enough for 256 random bits: there is nothing to guess. */
const hashOf = (secret: string) => createHash('sha256').update(secret).digest('base64url')

const at = (ms: number) => new Date(ms).toISOString()

/** The time in the form that texts are compared in. */
function toTime(text: string): string {
  const ms = Date.parse(text)
  if (!Number.isNaN(ms)) return at(ms)
  throw new RuntimeError(
    'validation_error',
    `${attempt} failed: "expires_at" must be an ISO 8601 time, such as 2026-11-01T00:00:00Z.`,
  )
}

function toAccessToken({
  id,
  name,
  scopes,
  agents,
  userId,
  allow,
  createdAt,
  expiresAt,
  lastUsedAt,
}: StoredToken): AccessToken {
  return {
    id,
    name,
    scopes: [...scopes],
    ...(agents && { agents: [...agents] }),
    ...(userId !== undefined && { user_id: userId }),
    ...(allow && { allow: [...allow] }),
    ...(expiresAt !== undefined && { expires_at: expiresAt }),
    created_at: createdAt,
    ...(lastUsedAt !== undefined && { last_used_at: lastUsedAt }),
  }
}
