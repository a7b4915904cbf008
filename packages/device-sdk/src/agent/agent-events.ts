import type { DeviceCloudError } from '../device-cloud-error.ts'

/** Which kind of pending work. */
export type WorkKind = 'searches' | 'uploads'

/** What a device agent tells about itself. No payload holds a key, a query's results or file contents. */
export interface AgentEvents {
  /** The device was let in; its work begins. */
  'enrollment:end': { readonly error: null }
  /** The enrollment ended with an error that waiting does not cure, such as `ENROLLMENT_DENIED`; it is tried again all the same. */
  'enrollment:error': { readonly error: DeviceCloudError; readonly retryInMs: number }
  /** A heartbeat was acknowledged. */
  'heartbeat:end': {
    readonly pending: { readonly searches: number; readonly uploads: number } | undefined
    readonly nextInMs: number
  }
  /** A heartbeat failed; the next one follows after the back-off. */
  'heartbeat:error': { readonly error: DeviceCloudError; readonly retryInMs: number }
  /** A list of pending work was read. */
  'poll:end': {
    readonly kind: WorkKind
    readonly listed: number
    readonly taken: number
    readonly held: boolean
  }
  /** A list of pending work could not be read; the next try follows after the back-off. */
  'poll:error': { readonly kind: WorkKind; readonly error: DeviceCloudError; readonly retryInMs: number }
  /** A listed request is of another form than the documented one. It is left alone, and told once; `id` may be empty. */
  'request:error': { readonly kind: WorkKind; readonly id: string; readonly error: DeviceCloudError }
  /** The cloud refused the key; all work stopped, and one heartbeat probes after `probeInMs` unless a new key comes first. */
  unauthorized: { readonly error: DeviceCloudError; readonly probeInMs: number }
  /** The cloud accepts the key again; work goes on. */
  authorized: { readonly error: null }
  /** A search began to run on this device. */
  'search:start': { readonly queryId: string; readonly query: string; readonly scope: readonly string[] }
  /** A search ran to its end and waits to be reported; `error` is null when every scope succeeded. */
  'search:end': { readonly queryId: string; readonly error: string | null; readonly tookMs: number }
  /** The cloud has the outcome of a search; `status` is the one it stored. */
  'report:end': { readonly queryId: string; readonly status: 'completed' | 'failed' }
  /** A report was not acknowledged; without `retryInMs` the refusal is final. */
  'report:error': { readonly queryId: string; readonly error: DeviceCloudError; readonly retryInMs?: number }
  /** A requested file is about to be opened. */
  'upload:start': { readonly requestId: string; readonly filePath: string }
  /** More bytes of a file were handed to the network; at most ten a second for each file. */
  'upload:progress': { readonly requestId: string; readonly sentBytes: number; readonly totalBytes: number }
  /** The cloud has the file, or, with `error`, the reason why it does not get it. */
  'upload:end': {
    readonly requestId: string
    readonly filePath: string
    readonly fileUrl?: string
    readonly error?: string
  }
  /** An upload failed; without `retryInMs` the refusal is final. */
  'upload:error': {
    readonly requestId: string
    readonly error: DeviceCloudError
    readonly retryInMs?: number
  }
  /** The outbox or the audit log failed; `queryId` tells which search was put off or is kept in memory only. */
  'state:error': {
    readonly part: 'outbox' | 'audit'
    readonly error: DeviceCloudError
    readonly queryId?: string
  }
  /** A listener of another event threw. */
  'listener:error': { readonly event: keyof AgentEvents; readonly error: unknown }
}

/** A function that hears one kind of event. */
export type AgentListener<Name extends keyof AgentEvents> = (payload: AgentEvents[Name]) => void
