import type { DeviceCloudError } from '../device-cloud-error.ts'

/** Which kind of pending work. */
export type WorkKind = 'searches' | 'uploads'

/** Events of a device agent. No payload contains a key, results of a search or file contents. */
export interface AgentEvents {
  /** The device was approved, and begins to work. */
  'enrollment:end': { readonly error: null }
  /**
   * The enrollment failed with an error that waiting does not solve, such as `ENROLLMENT_DENIED`. The agent still retries.
   */
  'enrollment:error': { readonly error: DeviceCloudError; readonly retryInMs: number }
  /** A heartbeat was acknowledged; `nextInMs` is `Infinity` while requests for work are the heartbeats. */
  'heartbeat:end': {
    readonly pending: { readonly searches: number; readonly uploads: number } | undefined
    readonly nextInMs: number
  }
  /** A heartbeat failed. The agent sends the next one after the back-off. */
  'heartbeat:error': { readonly error: DeviceCloudError; readonly retryInMs: number }
  /** A list of pending work was read. */
  'poll:end': {
    readonly kind: WorkKind
    readonly listed: number
    readonly taken: number
    readonly held: boolean
  }
  /** A list of pending work could not be read. The agent retries after the back-off. */
  'poll:error': { readonly kind: WorkKind; readonly error: DeviceCloudError; readonly retryInMs: number }
  /**
   * A listed request does not have the documented form. The agent ignores the request and emits this event once. `id` may be
   * empty.
   */
  'request:error': { readonly kind: WorkKind; readonly id: string; readonly error: DeviceCloudError }
  /**
   * The cloud rejected the key, and all work stopped. After `probeInMs` the agent sends one heartbeat, or earlier if the key
   * changes.
   */
  unauthorized: { readonly error: DeviceCloudError; readonly probeInMs: number }
  /** The cloud accepts the key again, and work resumes. */
  authorized: { readonly error: null }
  /** A search began to run on this device. */
  'search:start': { readonly queryId: string; readonly query: string; readonly scope: readonly string[] }
  /** A search ended, and its report is pending. `error` is null if every scope succeeded. */
  'search:end': { readonly queryId: string; readonly error: string | null; readonly tookMs: number }
  /** The cloud has the outcome of a search. `status` is the stored status. */
  'report:end': { readonly queryId: string; readonly status: 'completed' | 'failed' }
  /** A report was not acknowledged. Without `retryInMs`, the rejection is final. */
  'report:error': { readonly queryId: string; readonly error: DeviceCloudError; readonly retryInMs?: number }
  /** A requested file is about to be opened. */
  'upload:start': { readonly requestId: string; readonly filePath: string }
  /** More bytes of a file were sent. At most ten events per second for each file. */
  'upload:progress': { readonly requestId: string; readonly sentBytes: number; readonly totalBytes: number }
  /** The cloud has the file, or, with `error`, the reason why the device does not send it. */
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
  /** The cloud has the list of this device's files, or, if `removed`, has it no longer. */
  'catalog:end': { readonly kind: 'sent'; readonly files: number } | { readonly kind: 'removed' }
  /** The list of files could not be sent or removed. The agent retries after the back-off. */
  'catalog:error': { readonly error: DeviceCloudError; readonly retryInMs: number }
  /** The outbox or the audit log failed. `queryId` names the search that was postponed or is in memory only. */
  'state:error': {
    readonly part: 'outbox' | 'audit'
    readonly error: DeviceCloudError
    readonly queryId?: string
  }
  /** A listener of another event threw. */
  'listener:error': { readonly event: keyof AgentEvents; readonly error: unknown }
}

/** A listener for one kind of event. */
export type AgentListener<Name extends keyof AgentEvents> = (payload: AgentEvents[Name]) => void
