import type { Grant } from '@homeward/contract'
import type { DeviceAccess } from '@homeward/contract/device-cloud'
import type { NewAuditEntry } from './audit-store.ts'
import type { CreateOutcome, IdempotencyRecord } from './idempotency-record.ts'

/** A stored API token, without its secret. Times are ISO 8601 in UTC with milliseconds. */
export interface StoredToken {
  readonly id: string
  /** `userId` for which the token acts. */
  readonly owner: string
  /** SHA-256 of the secret in base64url. */
  readonly hash: string
  /** Last characters of the secret, to recognize it by. */
  readonly hint: string
  readonly name: string
  readonly may: readonly Grant[]
  /** Devices that the token can access. @default all devices */
  readonly filter?: DeviceAccess
  readonly createdAt: string
  /** Actor who created the token; null for the owner. */
  readonly createdBy: string | null
  /** Time from which the token is rejected; null if it does not expire. */
  readonly expiresAt: string | null
  readonly lastUsedAt: string | null
}

/** Limits for the tokens of an owner. */
export interface TokenLimits {
  /** Maximum number of tokens of one owner. Concurrent calls may exceed it by their number. */
  readonly maxTokens: number
  /** Tokens of the owner that expired before this time are deleted first. */
  readonly expiredBefore: string
}

/** Store of API tokens. {@link DeviceStore} states the rules for every method. */
export interface TokenStore {
  /** Adds a token once. `too_many`: the owner already has `maxTokens`, and nothing was added. */
  insertToken(
    token: StoredToken,
    limits: TokenLimits,
    once: IdempotencyRecord | undefined,
    audit?: readonly NewAuditEntry[],
    signal?: AbortSignal,
  ): Promise<CreateOutcome | { readonly kind: 'too_many' }>

  /** Finds the token whose secret has this hash, even if expired. */
  findTokenByHash(hash: string, signal?: AbortSignal): Promise<StoredToken | undefined>

  /** Lists all tokens of an owner including expired ones, newest first. */
  listTokens(owner: string, signal?: AbortSignal): Promise<readonly StoredToken[]>

  /** Records the last use of a token. Does nothing for a deleted token. */
  touchToken(id: string, lastUsedAt: string, signal?: AbortSignal): Promise<void>

  /**
   * Deletes a token. The token's name is added to the entries of `audit`.
   *
   * @returns undefined if the owner has no such token; else the hash that is no longer valid.
   */
  deleteToken(
    owner: string,
    id: string,
    audit?: readonly NewAuditEntry[],
    signal?: AbortSignal,
  ): Promise<{ readonly hash: string; readonly name: string } | undefined>
}
