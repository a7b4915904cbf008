/** Something this device did or refused to do for the cloud. Never holds a key or file contents. */
export interface AuditEntry {
  /** ISO 8601, UTC. */
  readonly at: string
  readonly action: 'search' | 'upload'
  readonly outcome: 'allowed' | 'denied'
  /** `queryId` or upload request id. */
  readonly id: string
  /** Search text, or path of the file. */
  readonly subject: string
  readonly scope?: readonly string[]
  /** Why it was denied. */
  readonly reason?: string | undefined
}

/** Where the device writes down what it gave away and what it refused. */
export interface AuditLog {
  /** Writes one entry; a rejection becomes the event `state:error` and stops nothing. */
  append(entry: AuditEntry): Promise<void>
  /** Gives up files and locks, like the outbox's `close`. The next entry opens it again. */
  close?(): Promise<void>
}
