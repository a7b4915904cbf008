import type { AuditAction, AuditEntry } from '@homeward/contract/device-cloud'
import type { Page, PageRequest } from './page.ts'

/** A new audit entry. */
export interface NewAuditEntry extends AuditEntry {
  /** Time from which the entry is not listed and may be deleted; null to store it permanently. */
  readonly expiresAt: string | null
}

/** Filter for audit entries. All conditions must be met. */
export interface AuditFilter {
  readonly action?: AuditAction
  /** Device id. Also matches entries about more devices than they list. */
  readonly deviceId?: string
  /** Name of the actor in the entry. */
  readonly actor?: string
  /** Entries at or after this time: ISO 8601 in UTC with milliseconds. */
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
 * Store of the audit log. {@link DeviceStore} states the rules for every method.
 *
 * A method with `audit` adds the entry in the same transaction as its change. A repeated or rejected call adds none.
 */
export interface AuditStore {
  /** Adds all entries, or none. */
  appendAudit(entries: readonly NewAuditEntry[], signal?: AbortSignal): Promise<void>

  /** Lists the entries of one user that have not expired at `now`, newest first. */
  listAudit(
    userId: string,
    filter: AuditFilter,
    page: PageRequest,
    now: string,
    signal?: AbortSignal,
  ): Promise<Page<AuditEntry>>

  /**
   * Lists the requests to one device with their status at `now`, newest first. Requests that failed with
   * `quotaExceededError` are left out.
   */
  listAsked(deviceId: string, page: PageRequest, now: string, signal?: AbortSignal): Promise<Page<AskedWork>>
}
