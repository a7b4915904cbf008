import type { DeviceCatalog } from '@homeward/contract/device-cloud'
import type { NewAuditEntry } from './audit-store.ts'

/** The list of files that a device left, and the file that holds it. */
export interface StoredCatalog extends DeviceCatalog {
  /** Id of the file in the blob store: gzip-compressed NDJSON, which was checked when it was stored. */
  readonly blobId: string
}

/** A catalog to store. */
export interface NewCatalog {
  readonly deviceId: string
  /** What {@link CatalogStore.readCatalogRevision} gave before the file was written. */
  readonly revision: number
  readonly catalog: StoredCatalog
}

/** `changed` if the catalog was replaced or removed since its revision was read; then nothing was stored. */
export type ReplaceCatalogOutcome =
  | { readonly kind: 'replaced'; readonly blobIds: readonly string[] }
  | { readonly kind: 'changed' }
  | { readonly kind: 'unknown' }

/**
 * Where the catalogs of devices live. See {@link DeviceStore} for what every method promises.
 *
 * The file of a catalog that is replaced or removed is noted for removal in the same transaction. `blobIds` are those files.
 */
export interface CatalogStore {
  /** A number that changes whenever the catalog of a device is replaced or removed. Undefined for an unknown device. */
  readCatalogRevision(deviceId: string, signal?: AbortSignal): Promise<number | undefined>

  /** Stores a catalog in place of the old one. */
  replaceCatalog(input: NewCatalog, signal?: AbortSignal): Promise<ReplaceCatalogOutcome>

  /**
   * Removes the catalog of a device. The audit is only written if there was one.
   *
   * @returns undefined if the owner has no such device.
   */
  removeCatalog(
    owner: string,
    deviceId: string,
    audit?: readonly NewAuditEntry[],
    signal?: AbortSignal,
  ): Promise<{ readonly blobIds: readonly string[] } | undefined>

  /** Removes up to `limit` catalogs whose `asOf` lies before a moment, oldest first. @returns how many. */
  pruneCatalogs(before: string, limit: number, signal?: AbortSignal): Promise<number>
}
