import type { Allowance, TokenScope } from '@homeward/contract'
import type { NewAuditEntry } from './audit-store.ts'

/** An access token at rest: never its secret (A26). Times are ISO 8601 text in UTC, milliseconds. */
export interface StoredToken {
  readonly id: string
  /** SHA-256 of the secret, base64url. */
  readonly hash: string
  readonly name: string
  readonly scopes: readonly TokenScope[]
  /** The only agents that it reaches. Absent: all. */
  readonly agents?: readonly string[]
  /** The user that its caller is. Absent: it reaches all users. */
  readonly userId?: string
  /** Fields of requests that a token of a user may set. @default none */
  readonly allow?: readonly Allowance[]
  readonly createdAt: string
  /** From then on, the token is rejected. Absent if it does not expire. */
  readonly expiresAt?: string
  readonly lastUsedAt?: string
  /** Hash of the request that created it, if that has an idempotency key. */
  readonly requestHash?: string
  /** The secret, sealed by that key, for repeats of the request. Absent once the token was used. */
  readonly sealed?: string
}

/** How many tokens there may be. */
export interface TokenLimits {
  readonly maxTokens: number
  /** Tokens that expired before this time are deleted first. */
  readonly expiredBefore: string
  /** Secrets that were sealed before this time are forgotten. */
  readonly sealedBefore: string
}

/** Store of access tokens. Implementations must pass `tokenStoreConformance`. */
export interface TokenStore {
  /**
   * Adds a token.
   *
   * @returns undefined without a change if a token with this id exists; false if there are already `maxTokens`.
   */
  insertToken(
    token: StoredToken,
    limits: TokenLimits,
    audit?: NewAuditEntry,
    signal?: AbortSignal,
  ): Promise<boolean | undefined>
  /** Finds a token by its id. */
  findToken(id: string, signal?: AbortSignal): Promise<StoredToken | undefined>
  /** Finds the token whose secret has this hash, even if expired. */
  findTokenByHash(hash: string, signal?: AbortSignal): Promise<StoredToken | undefined>
  /** Lists all tokens including expired ones, newest first. */
  listTokens(signal?: AbortSignal): Promise<readonly StoredToken[]>
  /** Records the last use of a token, and removes its encrypted secret. Does nothing for a deleted token. */
  touchToken(id: string, lastUsedAt: string, signal?: AbortSignal): Promise<void>
  /** Deletes a token. @returns false if it does not exist. */
  deleteToken(id: string, audit?: NewAuditEntry, signal?: AbortSignal): Promise<boolean>
}
