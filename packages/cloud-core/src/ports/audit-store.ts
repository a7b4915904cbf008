import type { AuditAction, AuditEntry } from '@homeward/contract/device-cloud'
import type { Page, PageRequest } from './page.ts'

/** An entry of the audit to add. */
export interface NewAuditEntry extends AuditEntry {
  /** From then on it is no longer listed, and goes in time; null keeps it for good. */
  readonly expiresAt: string | null
}

/** Which entries to list. All conditions must hold. */
export interface AuditFilter {
  readonly action?: AuditAction
  /** Entries that name this device, and those of acts on more devices than they name (C32). */
  readonly deviceId?: string
  /** Name of the actor in the entry. */
  readonly actor?: string
  /** Entries of this moment and later; ISO 8601, UTC, milliseconds. */
  readonly from?: string
  /** Entries before this time. */
  readonly to?: string
}

/** A search or an upload request, as the device that was asked sees it. */
export interface AskedWork {
  readonly id: string
  readonly kind: 'search' | 'upload'
  readonly createdAt: string
  /** Who asked, where the session named an actor besides its user. */
  readonly actor?: string
  /** Why the device has not reported. Absent: it has. */
  readonly unanswered?: 'pending' | 'expired' | 'canceled'
}

/**
 * Who did what. See {@link DeviceStore} for what every method promises.
 *
 * Verbs that take `audit` add it in the same transaction as what they do, and only when they do it: not for a repeat,
 * not for what is refused.
 */
export interface AuditStore {
  /** Adds entries: all of them, or none. */
  appendAudit(entries: readonly NewAuditEntry[], signal?: AbortSignal): Promise<void>

  /** Entries of one user that have not expired at `now`, newest first. */
  listAudit(
    userId: string,
    filter: AuditFilter,
    page: PageRequest,
    now: string,
    signal?: AbortSignal,
  ): Promise<Page<AuditEntry>>

  /** What one device was asked for as it stands at `now`, newest first, without what failed with `quotaExceededError`. */
  listAsked(deviceId: string, page: PageRequest, now: string, signal?: AbortSignal): Promise<Page<AskedWork>>
}
