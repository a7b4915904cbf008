import type { Grant } from '@homeward/contract'
import type { DeviceAccess } from '@homeward/contract/device-cloud'
import type { RequestView } from '@homeward/contract/handler'
import type { Timers } from '@homeward/kit'
import type { BlobStore } from '../ports/blob-store.ts'
import type { CloudStore } from '../ports/cloud-store.ts'
import type { StoredDevice } from '../ports/device-store.ts'
import type { CloudEventBus } from './cloud-events.ts'
import type { Quotas } from './quotas.ts'

/** What all rooms of one cloud share. What only some need, the context of a room adds: see `DeviceContext`. */
export interface CloudContext {
  readonly store: CloudStore
  readonly blobs: BlobStore
  /** What the host waits by. */
  readonly timers: Timers | undefined
  /** Milliseconds since the epoch. */
  readonly now: () => number
  /** The same clock, also as the timestamp that it stands for. */
  readonly clock: () => { readonly ms: number; readonly at: string }
  readonly createId: () => string
  readonly random: () => number
  readonly randomBytes: (size: number) => Uint8Array
  readonly keyPrefix: string
  readonly keySecret: string | undefined
  readonly onlineWindowMs: number
  /** What `fileUrl` starts with, without a slash at its end; undefined where each request says it. */
  readonly publicUrl: string | undefined
  readonly clientAddress: (request: RequestView) => string
  /** Path below which the cloud is mounted. Empty without one. */
  readonly basePath: string
  /** The origin by which a caller reached the cloud, with the base path, for addresses in replies. */
  readonly requestOrigin: (request: RequestView) => string
  readonly quotas: Quotas
  /** Remembers a device that is deleted now. */
  readonly noteDeparture: (device: StoredDevice) => void
  /** Tells the host; a listener that throws goes to `onError`. */
  readonly emit: CloudEventBus['emit']
  /** Where failures go that no caller waits for. Never throws, whatever the host's hook does. */
  readonly onError: (error: unknown) => void
}

/** Caller of a server-side call. */
export interface UserCall {
  /** User who owns the data. Data of other users does not exist for this caller. */
  readonly userId: string
  /** Person or token that acts for the user, for the audit log. @default the user */
  readonly actor?: string | undefined
  /** Permissions of the caller. An API token that it creates cannot have more. @default all permissions */
  readonly may?: readonly Grant[] | undefined
  /** Devices that the caller can access. Other devices do not exist for it. @default all devices of the user */
  readonly access?: DeviceAccess | undefined
  /** Expiry of the caller's API token. Tokens that it creates expire at this time at the latest. @default no expiry */
  readonly until?: string | undefined
  /** Makes retries of a creation safe: a repeated key returns the first result. */
  readonly idempotencyKey?: string | undefined
  /** Network address for the audit log. */
  readonly address?: string | undefined
  /** Scheme and host of `fileUrl`. @default the `publicUrl` of the cloud; without one, `fileUrl` is a path */
  readonly origin?: string
}
