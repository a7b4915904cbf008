/** What is to be done about the catalog that the cloud has of this device. */
export type CatalogTask =
  | {
      readonly kind: 'send'
      /** Gzip-compressed NDJSON: a line `{asOf, files}`, then a line for each file, as in `results.files`. */
      readonly content: Blob
      /** Called when the cloud has it. */
      done(): Promise<void>
      /** Called when it is not needed any more, whatever became of it. */
      release(): Promise<void>
    }
  | {
      readonly kind: 'remove'
      /** Called when the cloud has none. */
      done(): Promise<void>
    }

/**
 * Where the list of files comes from that the cloud answers searches with while this device is off. It decides what is shared,
 * and how often: at most one new list an hour.
 */
export interface CatalogSource {
  /** Returns the next change to send, or undefined. The agent calls it every minute. */
  next(signal: AbortSignal): Promise<CatalogTask | undefined>
}
