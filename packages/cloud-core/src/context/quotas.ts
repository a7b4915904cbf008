import type { Quota } from '@homeward/contract/device-cloud'
import type { CloudStore } from '../ports/cloud-store.ts'

/** Limits per user. Absent means no limit. Days are in UTC. */
export interface QuotaOptions {
  /** Maximum number of registered devices. Beyond it, the cloud responds with 403. */
  readonly devices?: number
  /**
   * Maximum number of searches and upload requests that wait for one device. Beyond it, the cloud responds with 429.
   */
  readonly pendingPerDevice?: number
  /** Maximum number of searches created per day. Beyond it, the cloud responds with 429. */
  readonly searchesPerDay?: number
  /** Maximum size of uploaded files and device catalogs in bytes. Beyond it, the cloud responds with 403. */
  readonly storedBytes?: number
}

/** New work for devices of an owner. */
interface WantedWork {
  readonly owner: string
  readonly kind: 'search' | 'upload'
  readonly deviceIds: readonly string[]
  /** Whether it is for several devices: then what fits is made. */
  readonly isGroup: boolean
  /** What is done, for errors: `Creating the search`. */
  readonly attempt: string
}

/** Checks what users may use. */
export interface Quotas {
  /**
   * @param freed What is given back by it. @default 0
   * @throws {HttpError} 403 that names the limit.
   */
  assertRoom(owner: string, name: 'devices' | 'storedBytes', attempt: string, freed?: number): Promise<void>
  /**
   * Devices of a group whose work does not fit: it is to be `failed` with `quota_exceeded`.
   *
   * @throws {HttpError} 429 that names the limit, for work of one device
   */
  refuse(work: WantedWork): Promise<ReadonlySet<string>>
  /** @param store Where usage is counted. @default the store of the cloud */
  list(owner: string, store?: Pick<CloudStore, 'readUsage'>): Promise<Quota[]>
  /** Lets checks and creations of one owner wait for each other. */
  inTurn<Result>(owner: string, act: () => Promise<Result>): Promise<Result>
}
