import type { QuotaName } from '@homeward/contract/device-cloud'
import type { CreateOutcome, IdempotencyRecord } from './idempotency-record.ts'

/** What quotas are checked by. See {@link DeviceStore} for what every method promises. */
export interface QuotaStore {
  /**
   * How much an owner uses: see {@link QuotaName}. Work that was rejected because of a quota does not count.
   *
   * @param times.day Searches that were created at or after this moment count.
   */
  readUsage(
    owner: string,
    name: QuotaName,
    times: { readonly day: string; readonly now: string },
    signal?: AbortSignal,
  ): Promise<number>

  /** The earlier creation under an idempotency key, if it has not expired at `createdAt` of the record. */
  findCreation(once: IdempotencyRecord, signal?: AbortSignal): Promise<CreateOutcome | undefined>
}
