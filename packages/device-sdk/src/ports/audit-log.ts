/** Something that this device did for the cloud, or denied. Never contains a key or file contents. */
export interface AuditEntry {
  /** ISO 8601, UTC. */
  readonly at: string
  readonly action: 'search' | 'upload'
  readonly outcome: 'allowed' | 'denied'
  /** `queryId` or upload request id. */
  readonly id: string
  /** Search text, or path of the file. */
  readonly subject: string
  readonly scope?: readonly string[] | undefined
  /** Who asked, as the cloud says. */
  readonly actor?: string | undefined
  /** Rows that were sent. */
  readonly rows?: number | undefined
  /** Bytes that were sent: of the results as JSON, or of the file. */
  readonly bytes?: number | undefined
  /** Why it was denied. */
  readonly reason?: string | undefined
}

/** Records what the device shared and what it denied. */
export interface AuditLog {
  /** Writes one entry; a rejection becomes the event `state:error` and stops nothing. */
  append(entry: AuditEntry): Promise<void>
  /** Gives up files and locks, like the outbox's `close`. The next entry opens it again. */
  close?(): Promise<void>
}
