/** A request that this device served or denied. Never contains a key or file contents. */
export interface AuditEntry {
  /** ISO 8601 time in UTC. */
  readonly at: string
  readonly action: 'search' | 'upload'
  readonly outcome: 'allowed' | 'denied'
  /** Id of the search or of the upload request. */
  readonly id: string
  /** Search text or path of the file. */
  readonly subject: string
  readonly scope?: readonly string[] | undefined
  /** Requester, as reported by the cloud. */
  readonly actor?: string | undefined
  /** Number of rows sent. */
  readonly rows?: number | undefined
  /** Number of bytes sent: of the results as JSON, or of the file. */
  readonly bytes?: number | undefined
  /** Reason for the denial. */
  readonly reason?: string | undefined
}

/** Records what the device shared and what it denied. */
export interface AuditLog {
  /** Writes one entry. A rejection becomes the event `state:error` and has no other effect. */
  append(entry: AuditEntry): Promise<void>
  /** Releases files and locks, like `close` of the outbox. The next entry opens the log again. */
  close?(): Promise<void>
}
