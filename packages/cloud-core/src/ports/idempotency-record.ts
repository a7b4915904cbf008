/**
 * Makes a creation safe to repeat (`Idempotency-Key`, C20).
 *
 * The adapter records the row in the same transaction as the creation. Where a row with the same `scope` and
 * `keyHash` exists and has not expired at `createdAt`, it creates nothing and gives that row back.
 */
export interface IdempotencyRecord {
  /** Owner and operation. Keys of different owners or operations are independent. */
  readonly scope: string
  /** SHA-256 of the key, base64url. The key itself is never stored. */
  readonly keyHash: string
  /** SHA-256 of the request, to tell a repeat from a different request under the same key. */
  readonly fingerprint: string
  /** What the repeat needs to be answered alike. */
  readonly reply: string
  readonly createdAt: string
  readonly expiresAt: string
}

/** What became of a creation. `repeated` carries the first request's row. */
export type CreateOutcome =
  | { readonly kind: 'created' }
  | { readonly kind: 'repeated'; readonly fingerprint: string; readonly reply: string }
