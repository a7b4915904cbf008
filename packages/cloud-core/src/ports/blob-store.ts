/** Links to a stored file, from the file store. */
export interface BlobLinks {
  readonly driveFile?: { readonly webViewLink: string }
  readonly spacesFile?: { readonly publicUrl: string }
}

/** A file to store. */
export interface NewBlob {
  /** Unguessable id chosen by the caller: 1 to 100 characters of `A-Za-z0-9_-`, never reused. */
  readonly id: string
  /** File name without folders, for stores that show one. */
  readonly fileName: string
  readonly content: AsyncIterable<Uint8Array>
}

/** A completely stored file. */
export interface StoredBlob {
  /** Size in bytes. */
  readonly size: number
  readonly links: BlobLinks
}

/** A range of a file's bytes, counted from 0; at least one byte. */
export interface BlobRange {
  /** First byte. */
  readonly start: number
  /** Position after the last byte. */
  readonly end: number
}

/** A stored file, or a part of one, to be read once. */
export interface BlobContent {
  /** Number of bytes in `content`. */
  readonly size: number
  readonly content: ReadableStream<Uint8Array>
}

/**
 * Store of uploaded files. Files are streamed, never held whole in memory.
 *
 * Implementations must pass `blobStoreConformance` of `@homeward/cloud-core/testing`.
 */
export interface BlobStore {
  /**
   * Stores a whole file, or nothing.
   *
   * If `content` throws or `signal` aborts, the call rejects with that reason, and the file cannot be opened. After
   * the call resolves, the file survives a crash of the process.
   */
  put(blob: NewBlob, signal?: AbortSignal): Promise<StoredBlob>

  /**
   * Opens a stored file, or returns undefined if it is missing. The caller reads the stream to its end or cancels it.
   */
  open(id: string, signal?: AbortSignal): Promise<BlobContent | undefined>

  /**
   * Opens a part of a stored file, or returns undefined if the file is missing. The range is within the file.
   *
   * Omit this method if only whole files can be read: interrupted downloads then start again from the beginning.
   */
  openPart?(id: string, range: BlobRange, signal?: AbortSignal): Promise<BlobContent | undefined>

  /** Deletes a file. Deleting a missing file is not an error. */
  delete(id: string, signal?: AbortSignal): Promise<void>

  /**
   * Lists the ids of files stored before a time, in any order, with possible duplicates.
   *
   * The cloud uses it to find files that a crash left without an upload request. Omit this method if files do not
   * outlive the process, or another mechanism removes such files.
   *
   * @param storedBefore ISO 8601
   */
  list?(storedBefore: string, signal?: AbortSignal): AsyncIterable<string>

  /**
   * Returns the current links of a stored file, for stores whose links expire. Without this method, the links from
   * `put` are used permanently.
   */
  linksOf?(id: string): Promise<BlobLinks>

  /** Stops pending work. Can be called twice. */
  close?(): Promise<void>
}
