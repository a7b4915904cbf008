import type { DeviceMetadata } from '@homeward/contract/device-cloud'
import type { NewAuditEntry } from './audit-store.ts'
import type { StoredKey } from './device-store.ts'
import type { CreateOutcome, IdempotencyRecord } from './idempotency-record.ts'

/** An enrollment request of a device. Times are ISO 8601 in UTC with milliseconds. */
export interface NewEnrollment {
  readonly id: string
  /** The key that the device created. */
  readonly key: Pick<StoredKey, 'hash' | 'hint'>
  /** Hash of the code that a user enters. The code itself is not stored. */
  readonly codeHash: string
  readonly name: string
  readonly type: string
  readonly platform: string
  readonly metadata: DeviceMetadata
  /** Network address of the request; null if your server does not know it. */
  readonly address: string | null
  /** Time at which the code was created. */
  readonly createdAt: string
  /** Expiry of the code. */
  readonly expiresAt: string
  /** Time at which an undecided enrollment is deleted. */
  readonly purgeAt: string
}

/** A stored enrollment. The reader must check whether a pending one has expired. */
export interface StoredEnrollment extends Omit<NewEnrollment, 'purgeAt'> {
  readonly status: 'pending' | 'approved' | 'denied'
  /** `userId` of the user who decided, or who owns the token; null while any user may decide. */
  readonly owner: string | null
  /** Id of the registered device; null unless approved. */
  readonly deviceId: string | null
  /** Id of the enrollment token; null without one. */
  readonly tokenId: string | null
}

/** Reason why a token does not admit a device. */
export type TokenRejection = 'unknown' | 'revoked' | 'expired' | 'used up'

/**
 * Outcome of an enrollment request. `existing`: an enrollment with the same key already existed, and did not change.
 */
export type EnrollOutcome =
  | { readonly kind: 'created' | 'existing'; readonly enrollment: StoredEnrollment }
  | { readonly kind: 'refused'; readonly reason: TokenRejection }

/** A user's approval of an enrollment. */
export interface EnrollmentApproval {
  readonly id: string
  /** User who approves, and who owns the device from then on. */
  readonly owner: string
  /** Id of the device to register. */
  readonly deviceId: string
  /** Replaces the name that the device sent. */
  readonly name?: string
  /** Labels of the device, in addition to those of its token. */
  readonly labels: readonly string[]
  readonly now: string
}

/**
 * Outcome of a decision about an enrollment.
 *
 * - `approved`, `denied`: the new status; `again` if this user had already decided so.
 * - `unknown`: the enrollment does not exist, or not for this user.
 * - `expired`: nobody decided in time.
 * - `refused`: the token admits no more devices.
 */
export type DecisionOutcome =
  | { readonly kind: 'approved' | 'denied'; readonly enrollment: StoredEnrollment; readonly again?: true }
  | { readonly kind: 'unknown' | 'expired' }
  | { readonly kind: 'refused'; readonly reason: TokenRejection }

/** A stored enrollment token, without its secret. */
export interface StoredEnrollmentToken {
  readonly id: string
  readonly owner: string
  /** SHA-256 of the secret in base64url. */
  readonly secretHash: string
  readonly label: string
  /** Maximum number of devices that the token admits; null for no limit. */
  readonly maxDevices: number | null
  readonly expiresAt: string | null
  readonly labels: readonly string[]
  readonly approval: 'auto' | 'ask'
  /** Number of devices that the token has admitted. */
  readonly used: number
  readonly lastUsedAt: string | null
  readonly lastDeviceId: string | null
  readonly createdAt: string
  readonly revokedAt: string | null
}

/**
 * Store of enrollments and enrollment tokens. {@link DeviceStore} states the rules for every method.
 *
 * An approved enrollment is stored as long as its device and deleted with it.
 */
export interface EnrollmentStore {
  /** Returns a secret that all processes on this store share: the first `value` stored under this name. */
  ensureSecret(name: string, value: string, signal?: AbortSignal): Promise<string>

  /**
   * Adds an enrollment, or returns the existing one with the same key unchanged.
   *
   * An existing enrollment that is pending and has expired at `createdAt` starts again: it keeps its id, and all
   * other fields are new.
   *
   * With a token, the token's owner decides. An `auto` token approves the enrollment at once, even an existing
   * pending one; `deviceId` is then the id of the new device. A token that admits no device rejects and changes
   * nothing, but an enrollment that was already decided is still returned.
   *
   * Each call also deletes a few enrollments whose `purgeAt` has passed, more than it adds.
   *
   * @throws {CloudStoreError} `CONFLICT` if the code, or the key of a device to register, is already in use.
   */
  enroll(
    enrollment: NewEnrollment,
    token?: { readonly secretHash: string; readonly deviceId: string },
    audit?: readonly NewAuditEntry[],
    signal?: AbortSignal,
  ): Promise<EnrollOutcome>

  /** Finds an enrollment by its id. */
  findEnrollment(id: string, signal?: AbortSignal): Promise<StoredEnrollment | undefined>

  /** Finds an enrollment by the hash of its device's key. */
  findEnrollmentByKey(keyHash: string, signal?: AbortSignal): Promise<StoredEnrollment | undefined>

  /** Finds the enrollment with this code that is pending at `now`. */
  findEnrollmentByCode(
    codeHash: string,
    now: string,
    signal?: AbortSignal,
  ): Promise<StoredEnrollment | undefined>

  /**
   * Counts the enrollments that are pending at `now`. With an owner: those with a token of this owner. With null:
   * those without a token.
   */
  countPendingEnrollments(owner: string | null, now: string, signal?: AbortSignal): Promise<number>

  /**
   * Approves a pending enrollment: registers its device for a user, and counts it for its token.
   *
   * @throws {CloudStoreError} `CONFLICT` if a device with its key is already registered.
   */
  approveEnrollment(
    approval: EnrollmentApproval,
    audit?: readonly NewAuditEntry[],
    signal?: AbortSignal,
  ): Promise<DecisionOutcome>

  /** Denies a pending enrollment. Its key is rejected until `purgeAt`. */
  denyEnrollment(
    denial: { id: string; owner: string; now: string; purgeAt: string },
    audit?: readonly NewAuditEntry[],
    signal?: AbortSignal,
  ): Promise<DecisionOutcome>

  /**
   * Adds a token once, and deletes those of its owner that were revoked before `revokedBefore`.
   *
   * @returns `full` if its owner already has `maxTokens` active tokens.
   */
  insertEnrollmentToken(
    token: StoredEnrollmentToken,
    limits: { maxTokens: number; revokedBefore: string },
    once: IdempotencyRecord | undefined,
    audit?: readonly NewAuditEntry[],
    signal?: AbortSignal,
  ): Promise<CreateOutcome | { readonly kind: 'full' }>

  /** Finds a token by the hash of its secret, even if revoked. */
  findEnrollmentToken(secretHash: string, signal?: AbortSignal): Promise<StoredEnrollmentToken | undefined>

  /** Lists the active tokens of one owner, newest first. */
  listEnrollmentTokens(
    owner: string,
    limit: number,
    signal?: AbortSignal,
  ): Promise<readonly StoredEnrollmentToken[]>

  /**
   * Revokes a token. The devices that it admitted stay.
   *
   * @returns false if the owner has no such token, or has already revoked it.
   */
  revokeEnrollmentToken(
    revocation: { owner: string; id: string; now: string },
    audit?: readonly NewAuditEntry[],
    signal?: AbortSignal,
  ): Promise<boolean>
}
