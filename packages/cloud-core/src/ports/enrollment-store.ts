import type { DeviceMetadata } from '@homeward/contract/device-cloud'
import type { NewAuditEntry } from './audit-store.ts'
import type { StoredKey } from './device-store.ts'
import type { CreateOutcome, IdempotencyRecord } from './idempotency-record.ts'

/** A device that asks to be let in. Timestamps are ISO 8601, UTC, milliseconds. */
export interface NewEnrollment {
  readonly id: string
  /** The key that the device made. */
  readonly key: Pick<StoredKey, 'hash' | 'hint'>
  /** Hash of the code that a user enters. The code itself is never stored. */
  readonly codeHash: string
  readonly name: string
  readonly type: string
  readonly platform: string
  readonly metadata: DeviceMetadata
  /** Network address that it came from; null where the host does not know it. */
  readonly address: string | null
  /** When the code was given out. */
  readonly createdAt: string
  /** When the code expires. */
  readonly expiresAt: string
  /** When an enrollment that nobody decided about is deleted. */
  readonly purgeAt: string
}

/** An enrollment at rest. Whether a pending one has expired is for its reader to see. */
export interface StoredEnrollment extends Omit<NewEnrollment, 'purgeAt'> {
  readonly status: 'pending' | 'approved' | 'denied'
  /** `userId` of the user who decided, or whose token it came with; null while everybody may decide. */
  readonly owner: string | null
  /** The device that it became; null unless it is approved. */
  readonly deviceId: string | null
  /** The token that it came with; null without one. */
  readonly tokenId: string | null
}

/** Why a token does not admit a device. */
export type TokenRejection = 'unknown' | 'revoked' | 'expired' | 'used up'

/** What became of an enrollment. `existing`: there was one with the same key already, and it is as it was. */
export type EnrollOutcome =
  | { readonly kind: 'created' | 'existing'; readonly enrollment: StoredEnrollment }
  | { readonly kind: 'refused'; readonly reason: TokenRejection }

/** A user's approval of an enrollment. */
export interface EnrollmentApproval {
  readonly id: string
  /** Who approves, and owns the device from then on. */
  readonly owner: string
  /** Id of the device to register. */
  readonly deviceId: string
  /** Replaces the name that the device gave. */
  readonly name?: string
  /** Labels of the device, besides those of its token. */
  readonly labels: readonly string[]
  readonly now: string
}

/**
 * What became of a decision.
 *
 * - `approved`, `denied`: what it is now; `again` when this user had decided so before.
 * - `unknown`: it does not exist, or not for this user.
 * - `expired`: nobody decided in time.
 * - `refused`: its token admits no more devices.
 */
export type DecisionOutcome =
  | { readonly kind: 'approved' | 'denied'; readonly enrollment: StoredEnrollment; readonly again?: true }
  | { readonly kind: 'unknown' | 'expired' }
  | { readonly kind: 'refused'; readonly reason: TokenRejection }

/** A token that lets devices in, at rest: never its secret. */
export interface StoredEnrollmentToken {
  readonly id: string
  readonly owner: string
  /** SHA-256 of the secret, base64url. */
  readonly secretHash: string
  readonly label: string
  /** How many devices it ever admits; null for any number. */
  readonly maxDevices: number | null
  readonly expiresAt: string | null
  readonly labels: readonly string[]
  readonly approval: 'auto' | 'ask'
  /** How many devices it has admitted. */
  readonly used: number
  readonly lastUsedAt: string | null
  readonly lastDeviceId: string | null
  readonly createdAt: string
  readonly revokedAt: string | null
}

/**
 * Where devices wait to be let in, and the tokens that let them in. See {@link DeviceStore} for what every method promises.
 *
 * An approved enrollment lives as long as its device and is deleted with it.
 */
export interface EnrollmentStore {
  /**
   * Gives a secret of the storage, which all processes share: the first `value` that came under this name stays.
   */
  ensureSecret(name: string, value: string, signal?: AbortSignal): Promise<string>

  /**
   * Adds an enrollment, unless there is one with its key: that one is given then, and stays as it is. Only when it is
   * pending and expired at `createdAt`, it starts again, with its old id and everything else of the new one.
   *
   * With a token the enrollment is its owner's to decide about. A token of kind `auto` approves it at once, also a
   * pending one that is there already; `deviceId` is then the id of the device. A token that admits nobody refuses, and
   * changes nothing; but an enrollment that was decided about before is given whatever became of the token.
   *
   * Deletes some of those whose `purgeAt` has come: more than one for each that is added.
   *
   * @throws {CloudStoreError} `CONFLICT` when the code, or the key of a device to register, is in use already.
   */
  enroll(
    enrollment: NewEnrollment,
    token?: { readonly secretHash: string; readonly deviceId: string },
    audit?: readonly NewAuditEntry[],
    signal?: AbortSignal,
  ): Promise<EnrollOutcome>

  /** An enrollment by its id. */
  findEnrollment(id: string, signal?: AbortSignal): Promise<StoredEnrollment | undefined>

  /** An enrollment by the hash of its device's key. */
  findEnrollmentByKey(keyHash: string, signal?: AbortSignal): Promise<StoredEnrollment | undefined>

  /** The enrollment that is pending at `now` under a code. */
  findEnrollmentByCode(
    codeHash: string,
    now: string,
    signal?: AbortSignal,
  ): Promise<StoredEnrollment | undefined>

  /** How many enrollments are pending at `now`: with tokens of an owner, or for null without a token. */
  countPendingEnrollments(owner: string | null, now: string, signal?: AbortSignal): Promise<number>

  /**
   * Registers the device of a pending enrollment for a user, and counts it for its token.
   *
   * @throws {CloudStoreError} `CONFLICT` when a device with its key is registered already.
   */
  approveEnrollment(
    approval: EnrollmentApproval,
    audit?: readonly NewAuditEntry[],
    signal?: AbortSignal,
  ): Promise<DecisionOutcome>

  /** Denies a pending enrollment. Its key stays denied until `purgeAt`. */
  denyEnrollment(
    denial: { id: string; owner: string; now: string; purgeAt: string },
    audit?: readonly NewAuditEntry[],
    signal?: AbortSignal,
  ): Promise<DecisionOutcome>

  /**
   * Adds a token, once. Deletes those of its owner that were revoked before `revokedBefore`.
   *
   * @returns `full` when its owner has `maxTokens` that are not revoked.
   */
  insertEnrollmentToken(
    token: StoredEnrollmentToken,
    limits: { maxTokens: number; revokedBefore: string },
    once: IdempotencyRecord | undefined,
    audit?: readonly NewAuditEntry[],
    signal?: AbortSignal,
  ): Promise<CreateOutcome | { readonly kind: 'full' }>

  /** A token by the hash of its secret, revoked ones too. */
  findEnrollmentToken(secretHash: string, signal?: AbortSignal): Promise<StoredEnrollmentToken | undefined>

  /** The tokens of one owner that are not revoked, newest first. */
  listEnrollmentTokens(
    owner: string,
    limit: number,
    signal?: AbortSignal,
  ): Promise<readonly StoredEnrollmentToken[]>

  /**
   * Revokes a token. Devices that it admitted stay.
   *
   * @returns false when the owner has no such token, or revoked it before.
   */
  revokeEnrollmentToken(
    revocation: { owner: string; id: string; now: string },
    audit?: readonly NewAuditEntry[],
    signal?: AbortSignal,
  ): Promise<boolean>
}
