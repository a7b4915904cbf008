import type { QuotaName } from '@homeward/contract/device-cloud'
import type { CreateOutcome, IdempotencyRecord } from './idempotency-record.ts'

/** Store methods for quotas. {@link DeviceStore} states the rules for every method. */
export interface QuotaStore {
  /**
   * Returns the usage of an owner: see {@link QuotaName}. Requests that a quota rejected are not counted.
   *
   * @param times.day searches created at or after this time are counted.
   */
  readUsage(
    owner: string,
    name: QuotaName,
    times: { readonly day: string; readonly now: string },
    signal?: AbortSignal,
  ): Promise<number>

  /** Finds the earlier creation with an idempotency key, if it has not expired at `createdAt` of the record. */
  findCreation(once: IdempotencyRecord, signal?: AbortSignal): Promise<CreateOutcome | undefined>
}
