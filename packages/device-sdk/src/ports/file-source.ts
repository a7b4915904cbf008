/** A file on this device, opened for an upload. */
export interface OpenedFile {
  /** File name without folders. */
  readonly fileName: string
  /** Size in bytes. */
  readonly size: number
  /** Content as a Blob, or as a stream that can be read once. */
  readonly content: Blob | ReadableStream<Uint8Array>
  /**
   * Reads bytes from `start` up to `end`, any number of times. Needed for resumable uploads in chunks.
   *
   * @default a stream is sent as one form
   * @throws {DeviceCloudError} `FILE_UNAVAILABLE` if the size of the file changed or the file cannot be read.
   */
  readonly read?: (start: number, end: number) => Promise<Uint8Array>
  /** Closes the file. Can be called twice. */
  close(): Promise<void>
}

/** Opens files for uploads. */
export interface FileSource {
  /**
   * Opens a file for reading.
   *
   * @throws {DeviceCloudError} `POLICY_DENIED` if the path is outside the shared folders, `FILE_UNAVAILABLE` if the
   * file cannot be read or is larger than `maxBytes`.
   */
  open(
    filePath: string,
    options: { readonly maxBytes: number; readonly signal: AbortSignal },
  ): Promise<OpenedFile>
}
