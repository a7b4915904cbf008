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

/** On whose behalf a server-side call is made. */
export interface UserCall {
  /** Everything belongs to a user; what belongs to others does not exist for this one (C20). */
  readonly userId: string
  /** Who acts on behalf of the user, for the audit (C30). @default the user */
  readonly actor?: string | undefined
  /** What the caller may do: an API token that it creates may do no more (C30). @default everything */
  readonly may?: readonly Grant[] | undefined
  /** The only devices that the caller reaches: all others do not exist for it. @default all devices of the user */
  readonly access?: DeviceAccess | undefined
  /** When the API token that the caller uses expires: one that it creates expires then at the latest. @default never */
  readonly until?: string | undefined
  /** Makes a creation safe to repeat (C20). */
  readonly idempotencyKey?: string | undefined
  /** Network address that the audit notes (C24). */
  readonly address?: string | undefined
  /** Scheme and host that `fileUrl` starts with. @default the `publicUrl` of the cloud; without one `fileUrl` is a path */
  readonly origin?: string
}
