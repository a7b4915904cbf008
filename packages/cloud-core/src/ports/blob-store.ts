/** Links that a file store gives for a file it took (C13). */
export interface BlobLinks {
  readonly driveFile?: { readonly webViewLink: string }
  readonly spacesFile?: { readonly publicUrl: string }
}

/** A file to store. */
export interface NewBlob {
  /** Unguessable identifier, 1 to 100 of `A-Za-z0-9_-`, chosen by the caller and never used twice. */
  readonly id: string
  /** Plain file name, for stores that show one. */
  readonly fileName: string
  readonly content: AsyncIterable<Uint8Array>
}

/** A file that was stored whole. */
export interface StoredBlob {
  /** Bytes. */
  readonly size: number
  readonly links: BlobLinks
}

/** Some bytes of a file, counted from 0; at least one. */
export interface BlobRange {
  /** The first byte. */
  readonly start: number
  /** The byte behind the last one. */
  readonly end: number
}

/** A stored file or a part of one, to be read once. */
export interface BlobContent {
  /** How many bytes `content` gives. */
  readonly size: number
  readonly content: ReadableStream<Uint8Array>
}

/**
 * Where uploaded files live. Files are streamed, never held whole in memory.
 *
 * Implementations must pass `blobStoreConformance` of `@homeward/cloud-core/testing`.
 */
export interface BlobStore {
  /**
   * Stores a file: whole, or not at all. When `content` throws or `signal` aborts, nothing of it can be opened
   * afterwards and the call rejects with that reason. What resolved survives a crash of the process.
   */
  put(blob: NewBlob, signal?: AbortSignal): Promise<StoredBlob>

  /** Opens a stored file; undefined when there is none. The caller reads the stream to its end or cancels it. */
  open(id: string, signal?: AbortSignal): Promise<BlobContent | undefined>

  /**
   * Opens a part of a stored file as {@link open} opens all of it; undefined when there is no such file. The range lies
   * within the file. Leave it out where only whole files can be read: downloads then begin anew instead of going on (C26).
   */
  openPart?(id: string, range: BlobRange, signal?: AbortSignal): Promise<BlobContent | undefined>

  /** Removes a file. Removing what is not there is no error. */
  delete(id: string, signal?: AbortSignal): Promise<void>

  /**
   * Ids of the files that were stored before a time, in any order, one perhaps more than once: how files are found that a
   * crash left without an upload request. Leave it out where files do not outlive the process, or where something else removes leftovers.
   *
   * @param storedBefore ISO 8601
   */
  list?(storedBefore: string, signal?: AbortSignal): AsyncIterable<string>

  /**
   * Links of a stored file as they are now, for stores whose links expire. Where it is missing, those that `put` gave are
   * shown for ever.
   */
  linksOf?(id: string): Promise<BlobLinks>

  /** Ends what is under way. Safe to call twice. */
  close?(): Promise<void>
}
