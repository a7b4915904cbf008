/** A file on this device, opened for an upload. */
export interface OpenedFile {
  /** Plain name, no folders. */
  readonly fileName: string
  /** Bytes. */
  readonly size: number
  /** The content: a Blob, or a stream that can be read once. */
  readonly content: Blob | ReadableStream<Uint8Array>
  /**
   * Reads bytes from `start` up to `end`, as often as asked: with it a file can be sent in chunks, and goes on where it
   * broke off (C25). @default none: a stream is sent as one form
   *
   * @throws {DeviceCloudError} `FILE_UNAVAILABLE` when the file changed its size or cannot be read.
   */
  readonly read?: (start: number, end: number) => Promise<Uint8Array>
  /** Releases the file. Safe to call twice. */
  close(): Promise<void>
}

/** Where files for uploads come from. */
export interface FileSource {
  /**
   * Opens a file for reading.
   *
   * @throws {DeviceCloudError} `POLICY_DENIED` when the path is outside what this device gives away,
   * `FILE_UNAVAILABLE` when it cannot be read or is larger than `maxBytes`.
   */
  open(
    filePath: string,
    options: { readonly maxBytes: number; readonly signal: AbortSignal },
  ): Promise<OpenedFile>
}
