import type { Grant } from '@homeward/contract'
import type { DeviceAccess } from '@homeward/contract/device-cloud'
import type { NewAuditEntry } from './audit-store.ts'
import type { CreateOutcome, IdempotencyRecord } from './idempotency-record.ts'

/** A stored API token, without its secret (C30). Timestamps are ISO 8601, UTC, milliseconds. */
export interface StoredToken {
  readonly id: string
  /** `userId` on whose behalf it acts. */
  readonly owner: string
  /** SHA-256 of the secret, base64url. */
  readonly hash: string
  /** Enough of the secret to recognize it. */
  readonly hint: string
  readonly name: string
  readonly may: readonly Grant[]
  /** The only devices that it reaches. @default all */
  readonly filter?: DeviceAccess
  readonly createdAt: string
  /** Actor who created it; null for the owner. */
  readonly createdBy: string | null
  /** From then on it is rejected; null if it does not expire. */
  readonly expiresAt: string | null
  readonly lastUsedAt: string | null
}

/** How many tokens an owner may have. */
export interface TokenLimits {
  /** Most tokens of one owner. Calls that race may exceed it by as many as there are of them. */
  readonly maxTokens: number
  /** Tokens of the owner that expired before this moment are deleted first. */
  readonly expiredBefore: string
}

/** Where API tokens live. See {@link DeviceStore} for what every method promises. */
export interface TokenStore {
  /** Adds a token, once. `too_many`: the owner has `maxTokens` already, and nothing was added. */
  insertToken(
    token: StoredToken,
    limits: TokenLimits,
    once: IdempotencyRecord | undefined,
    audit?: readonly NewAuditEntry[],
    signal?: AbortSignal,
  ): Promise<CreateOutcome | { readonly kind: 'too_many' }>

  /** The token whose secret has this hash, also if it has expired. */
  findTokenByHash(hash: string, signal?: AbortSignal): Promise<StoredToken | undefined>

  /** All tokens of an owner, newest first, expired ones included. */
  listTokens(owner: string, signal?: AbortSignal): Promise<readonly StoredToken[]>

  /** Notes when a token was last used. A token that is gone is passed over. */
  touchToken(id: string, lastUsedAt: string, signal?: AbortSignal): Promise<void>

  /**
   * Deletes a token. Entries of `audit` get its name.
   *
   * @returns undefined if the owner has no such token; else the hash that no longer works.
   */
  deleteToken(
    owner: string,
    id: string,
    audit?: readonly NewAuditEntry[],
    signal?: AbortSignal,
  ): Promise<{ readonly hash: string; readonly name: string } | undefined>
}
