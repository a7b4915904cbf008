import type { DeviceCatalog } from '@homeward/contract/device-cloud'
import type { NewAuditEntry } from './audit-store.ts'

/** A stored catalog: the list of a device's files, and the file that contains it. */
export interface StoredCatalog extends DeviceCatalog {
  /** Id in the file store: gzip-compressed NDJSON, validated before it was stored. */
  readonly blobId: string
}

/** A catalog to store. */
export interface NewCatalog {
  readonly deviceId: string
  /** Result of {@link CatalogStore.readCatalogRevision} from before the file was written. */
  readonly revision: number
  readonly catalog: StoredCatalog
}

/** `changed` if the catalog was replaced or removed after its revision was read. Nothing was stored then. */
export type ReplaceCatalogOutcome =
  | { readonly kind: 'replaced'; readonly blobIds: readonly string[] }
  | { readonly kind: 'changed' }
  | { readonly kind: 'unknown' }

/**
 * Store of device catalogs. {@link DeviceStore} states the rules for every method.
 *
 * If a catalog is replaced or removed, its old file is marked for removal in the same transaction. `blobIds` are
 * those files.
 */
export interface CatalogStore {
  /**
   * Returns a number that changes whenever the catalog of a device is replaced or removed. Returns undefined for an
   * unknown device.
   */
  readCatalogRevision(deviceId: string, signal?: AbortSignal): Promise<number | undefined>

  /** Stores a catalog and replaces the old one. */
  replaceCatalog(input: NewCatalog, signal?: AbortSignal): Promise<ReplaceCatalogOutcome>

  /**
   * Removes the catalog of a device. The audit entry is written only if there was a catalog.
   *
   * @returns undefined if the owner has no such device.
   */
  removeCatalog(
    owner: string,
    deviceId: string,
    audit?: readonly NewAuditEntry[],
    signal?: AbortSignal,
  ): Promise<{ readonly blobIds: readonly string[] } | undefined>

  /**
   * Removes up to `limit` catalogs with an `asOf` before a time, oldest first.
   *
   * @returns the number of removed catalogs.
   */
  pruneCatalogs(before: string, limit: number, signal?: AbortSignal): Promise<number>
}
