/**
 * Record of an `Idempotency-Key`, which makes retries of a creation safe.
 *
 * The adapter stores the record in the same transaction as the creation. If a record with the same `scope` and
 * `keyHash` exists and has not expired at `createdAt`, nothing is created and the existing row is returned.
 */
export interface IdempotencyRecord {
  /** Owner and operation. Keys of different owners or operations are independent. */
  readonly scope: string
  /** SHA-256 of the key, base64url. The key itself is never stored. */
  readonly keyHash: string
  /** SHA-256 of the request, to distinguish a retry from a different request with the same key. */
  readonly fingerprint: string
  /** Data for an equal response to a retry. */
  readonly reply: string
  readonly createdAt: string
  readonly expiresAt: string
}

/** Outcome of a creation. `repeated` has the row of the first request. */
export type CreateOutcome =
  | { readonly kind: 'created' }
  | { readonly kind: 'repeated'; readonly fingerprint: string; readonly reply: string }
