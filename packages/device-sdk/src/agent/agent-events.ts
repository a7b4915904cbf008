import type { DeviceCloudError } from '../device-cloud-error.ts'

/** Kind of pending work. */
export type WorkKind = 'searches' | 'uploads'

/** Events of a device agent. No event data contains a key, search results or file contents. */
export interface AgentEvents {
  /** The device was approved and starts to work. */
  'enrollment:end': { readonly error: null }
  /**
   * The enrollment failed with an error that waiting does not solve, such as `ENROLLMENT_DENIED`. The agent still retries.
   */
  'enrollment:error': { readonly error: DeviceCloudError; readonly retryInMs: number }
  /** A heartbeat was acknowledged. `nextInMs` is `Infinity` while long polls serve as heartbeats. */
  'heartbeat:end': {
    readonly pending: { readonly searches: number; readonly uploads: number } | undefined
    readonly nextInMs: number
  }
  /** A heartbeat failed. The agent sends the next one after the back-off delay. */
  'heartbeat:error': { readonly error: DeviceCloudError; readonly retryInMs: number }
  /** A list of pending work was read. */
  'poll:end': {
    readonly kind: WorkKind
    readonly listed: number
    readonly taken: number
    readonly held: boolean
  }
  /** A list of pending work could not be read. The agent retries after the back-off delay. */
  'poll:error': { readonly kind: WorkKind; readonly error: DeviceCloudError; readonly retryInMs: number }
  /**
   * A listed request has an undocumented format. The agent ignores the request and emits this event once. `id` may be
   * empty.
   */
  'request:error': { readonly kind: WorkKind; readonly id: string; readonly error: DeviceCloudError }
  /**
   * The cloud rejected the key, and all work stopped. The agent sends one heartbeat after `probeInMs`, or earlier if
   * the key changes.
   */
  unauthorized: { readonly error: DeviceCloudError; readonly probeInMs: number }
  /** The cloud accepts the key again, and work resumes. */
  authorized: { readonly error: null }
  /** A search started on this device. */
  'search:start': { readonly queryId: string; readonly query: string; readonly scope: readonly string[] }
  /** A search ended, and its report is pending. `error` is null if every scope succeeded. */
  'search:end': { readonly queryId: string; readonly error: string | null; readonly tookMs: number }
  /** The cloud has the outcome of a search. `status` is the stored status. */
  'report:end': { readonly queryId: string; readonly status: 'completed' | 'failed' }
  /** A report was not acknowledged. Without `retryInMs`, the rejection is final. */
  'report:error': { readonly queryId: string; readonly error: DeviceCloudError; readonly retryInMs?: number }
  /** The agent is about to open a requested file. */
  'upload:start': { readonly requestId: string; readonly filePath: string }
  /** More bytes of a file were sent. At most ten events per second for each file. */
  'upload:progress': { readonly requestId: string; readonly sentBytes: number; readonly totalBytes: number }
  /** The cloud has the file or, with `error`, the reason why the device does not send it. */
  'upload:end': {
    readonly requestId: string
    readonly filePath: string
    readonly fileUrl?: string
    readonly error?: string
  }
  /** An upload failed. Without `retryInMs`, the rejection is final. */
  'upload:error': {
    readonly requestId: string
    readonly error: DeviceCloudError
    readonly retryInMs?: number
  }
  /** The cloud has stored the list of this device's files or, if `removed`, has removed it. */
  'catalog:end': { readonly kind: 'sent'; readonly files: number } | { readonly kind: 'removed' }
  /** The list of files could not be sent or removed. The agent retries after the back-off delay. */
  'catalog:error': { readonly error: DeviceCloudError; readonly retryInMs: number }
  /** The outbox or the audit log failed. `queryId` is the search that was postponed or is only in memory. */
  'state:error': {
    readonly part: 'outbox' | 'audit'
    readonly error: DeviceCloudError
    readonly queryId?: string
  }
  /** A listener of another event threw an error. */
  'listener:error': { readonly event: keyof AgentEvents; readonly error: unknown }
}

/** A listener for one kind of event. */
export type AgentListener<Name extends keyof AgentEvents> = (payload: AgentEvents[Name]) => void
