/** A change of the cloud's catalog of this device: a new list, or its removal. */
export type CatalogTask =
  | {
      readonly kind: 'send'
      /** Gzip-compressed NDJSON: a line `{asOf, files}`, then one line per file, as in `results.files`. */
      readonly content: Blob
      /** Called when the cloud has stored the list. */
      done(): Promise<void>
      /** Called when the content is no longer needed, whatever the outcome. */
      release(): Promise<void>
    }
  | {
      readonly kind: 'remove'
      /** Called when the cloud has removed the list. */
      done(): Promise<void>
    }

/**
 * Creates the list of files with which the cloud serves searches while this device is offline. The source decides
 * which files are listed and how often; at most one new list per hour.
 */
export interface CatalogSource {
  /** Returns the next change to send, or undefined. The agent calls it every minute. */
  next(signal: AbortSignal): Promise<CatalogTask | undefined>
}
