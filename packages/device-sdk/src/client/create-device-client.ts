import { type Caller, type ClientOptions, createCaller, type FormFile } from '@homeward/contract/client'
import {
  type DeviceCloudOperations,
  type DeviceMetadata,
  deviceOperations,
  type SearchReport,
  type SearchReportReply,
  SearchRequest,
  UploadRequest,
  type UploadResult,
} from '@homeward/contract/device-cloud'
import type { ReplyOf } from '@homeward/contract'
import type { ZodMiniType } from 'zod/mini'
import { DeviceCloudError } from '../device-cloud-error.ts'
import { type ChunkedUploads, createChunkedUploads, type Send } from './chunked-uploads.ts'
import { type ApiKey, createKeySource } from './key-source.ts'
import { untilAborted } from '@homeward/kit'
import { type InvalidRequest, pendingOperations, readRows } from './pending-rows.ts'
import { toDeviceCloudError } from './to-device-cloud-error.ts'

/** Settings of a device client. */
export interface DeviceClientOptions extends Pick<
  ClientOptions,
  'baseUrl' | 'fetch' | 'maxReplyBytes' | 'now'
> {
  /**
   * Milliseconds until a call is given up, its answer's body included; no more than 90000. While a streamed file is
   * sent the time starts again with every chunk. @default 90000
   */
  readonly timeoutMs?: number
  /** The device's API key. A function is asked at every call, so a new key needs no restart. */
  readonly apiKey: ApiKey
}

/** Answer to a heartbeat. */
export type HeartbeatReply = ReplyOf<DeviceCloudOperations['sendHeartbeat']> & ReconnectNote

/** How soon a device may be back after its connection broke. */
export interface ReconnectNote {
  /** About so many seconds later. @default when it would have asked anyway */
  readonly reconnectWithinSeconds?: number | undefined
}

/** Answer to a catalog. */
export type CatalogReply = ReplyOf<DeviceCloudOperations['sendCatalog']>

/** A file to be uploaded: name, size in bytes, and content as a Blob or a stream. */
export type UploadFile = FormFile

/** How to ask for pending work. */
export interface PendingOptions {
  /** Ask the cloud to hold its answer until there is work, for 1 to 60 seconds. @default at once */
  readonly waitSeconds?: number
}

/** Requests of one kind, as the cloud listed them. */
export interface ListedRequests<Request> {
  readonly requests: readonly Request[]
  /** What the cloud listed besides, in another form than the documented one. */
  readonly invalid?: readonly InvalidRequest[]
}

/** What a list says besides its requests. */
export interface ListNotes extends ReconnectNote {
  /** Whether the cloud says that it held the answer as asked. */
  readonly waitApplied: boolean
  /** For how many seconds at most, when it says so. */
  readonly appliedSeconds?: number | undefined
  /** How large chunks should be, where the cloud offers uploads that resume (C25). */
  readonly uploadChunkBytes?: number | undefined
}

/** Pending work. */
export interface PendingList<Request> extends ListedRequests<Request>, ListNotes {}

/** How to ask for all work. */
export interface WorkOptions {
  /** Facts about the device, as in a heartbeat. */
  readonly metadata: DeviceMetadata
  /** Ids of searches and upload requests that the device has and has not reported. @default none */
  readonly working?: readonly string[]
  /** Ask the cloud to hold its answer until there is work, for 1 to 300 seconds. @default at once */
  readonly waitSeconds?: number
}

/** All work that the device did not have. */
export interface WorkList extends ListNotes {
  readonly searches: ListedRequests<SearchRequest>
  readonly uploads: ListedRequests<UploadRequest>
}

/** A requested file, or the reason why there is none. */
export type UploadDelivery =
  | {
      readonly requestId: string
      readonly file: UploadFile
      /** Bytes handed to the network so far, and all of them. Only streams report their progress. */
      readonly onProgress?: (sentBytes: number, totalBytes: number) => void
    }
  | { readonly requestId: string; readonly error: string }

/**
 * The device cloud as a device sees it. Each call is exactly one request: no retry, no redirect followed.
 *
 * Every call throws a {@link DeviceCloudError}, or the reason of its signal when that aborts.
 */
export interface DeviceClient {
  /** Shows the device as online and updates its metadata. */
  sendHeartbeat(metadata: DeviceMetadata, signal?: AbortSignal): Promise<HeartbeatReply>
  /** Searches that wait for the device, oldest first. */
  listPendingSearches(options?: PendingOptions, signal?: AbortSignal): Promise<PendingList<SearchRequest>>
  /** Reports a search; a non-empty `error` makes it failed. */
  reportSearch(report: SearchReport, signal?: AbortSignal): Promise<SearchReportReply>
  /** Files that the device is asked for, oldest first. */
  listPendingUploads(options?: PendingOptions, signal?: AbortSignal): Promise<PendingList<UploadRequest>>
  /** Sends a requested file, or the reason why it cannot be had. */
  uploadFile(delivery: UploadDelivery, signal?: AbortSignal): Promise<UploadResult>
  /**
   * All work in one request, which is a heartbeat too.
   *
   * @throws {DeviceCloudError} with `status` 404 or 405 from a cloud that has no such request
   */
  takeWork?(options: WorkOptions, signal?: AbortSignal): Promise<WorkList>
  /** Leaves the list of this device's files with the cloud: gzip-compressed NDJSON, see `CatalogSource`. */
  sendCatalog?(content: Blob, signal?: AbortSignal): Promise<CatalogReply>
  /** Takes that list back. */
  removeCatalog?(signal?: AbortSignal): Promise<void>
  /** Uploads in chunks, for clouds that offer them (C25). */
  readonly chunkedUploads?: ChunkedUploads
  /** Whether the key source returns another key than the one that was last rejected with 401. Sends nothing. */
  hasNewKey(): Promise<boolean>
}

/**
 * Builds the client of one device.
 *
 * @throws {DeviceCloudError} `INVALID_OPTION` for a base URL or an API key that cannot be used.
 * @example
 * const client = createDeviceClient({ baseUrl: 'https://cloud.example', apiKey: () => readFile('key', 'utf8') })
 * await client.sendHeartbeat({ os: 'linux', version: '6.12', hardware: 'x64' })
 */
export function createDeviceClient(options: DeviceClientOptions): DeviceClient {
  const { apiKey, ...rest } = options
  const timeoutMs = Math.min(rest.timeoutMs ?? maxTimeoutMs, maxTimeoutMs)
  const keys = createKeySource(apiKey)
  const settings = { ...rest, timeoutMs, credentials: 'omit', toError: toDeviceCloudError } as const
  const call = createCaller(deviceOperations, settings)
  const list = createCaller(pendingOperations, settings)

  async function send<T>(
    run: (headers: Record<string, string>) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T> {
    signal?.throwIfAborted()
    const key = await untilAborted(keys.read(), signal)
    try {
      return await run({ authorization: `Bearer ${key}` })
    } catch (error) {
      if (DeviceCloudError.is(error) && error.code === 'UNAUTHORIZED') keys.refuse(key)
      throw error
    }
  }

  async function listPending<Request>(
    id: 'listPendingSearches' | 'listPendingUploads',
    row: ZodMiniType<Request>,
    { waitSeconds }: PendingOptions = {},
    signal?: AbortSignal,
  ): Promise<PendingList<Request>> {
    const prefer = toPrefer(waitSeconds, 60)
    const { headers, body } = await send(
      (auth) => list(id, { headers: { ...auth, ...prefer }, signal }),
      signal,
    )
    return { ...readRows(row, body.requests), ...toNotes(headers) }
  }

  async function takeWork(
    { metadata, working = [], waitSeconds }: WorkOptions,
    signal?: AbortSignal,
  ): Promise<WorkList> {
    const prefer = toPrefer(waitSeconds, 300)
    const { headers, body } = await send(
      (auth) =>
        list('takeWork', {
          headers: { ...auth, ...prefer },
          body: { metadata, working: [...working] },
          timeoutMs: Math.max(timeoutMs, ((waitSeconds ?? 0) + graceSeconds) * 1000),
          signal,
        }),
      signal,
    )
    return {
      searches: readRows(SearchRequest, body.searches),
      uploads: readRows(UploadRequest, body.uploads),
      ...toNotes(headers),
    }
  }

  return {
    sendHeartbeat: (metadata, signal) =>
      send(async (auth) => {
        const { body, headers } = await call('sendHeartbeat', { body: { metadata }, headers: auth, signal })
        return { ...body, reconnectWithinSeconds: toReconnectSeconds(headers) }
      }, signal),
    listPendingSearches: (pending, signal) =>
      listPending('listPendingSearches', SearchRequest, pending, signal),
    listPendingUploads: (pending, signal) =>
      listPending('listPendingUploads', UploadRequest, pending, signal),
    takeWork,
    reportSearch: (report, signal) =>
      send(async (headers) => {
        const { body } = await call('reportSearch', { body: report, headers, signal })
        if (body.queryId === report.queryId) return body
        throw new DeviceCloudError(
          'BAD_REPLY',
          'reportSearch failed: the response belongs to another search.',
        )
      }, signal),
    uploadFile: (delivery, signal) =>
      send(async (headers) => {
        const { requestId } = delivery
        const input =
          'error' in delivery ? { form: { requestId, error: delivery.error } } : toForm(delivery, timeoutMs)
        return (await call('uploadFile', { ...input, headers, signal })).body
      }, signal),
    ...createCatalogCalls(call, send, timeoutMs),
    chunkedUploads: createChunkedUploads(call, send, timeoutMs),
    hasNewKey: keys.hasNew,
  }
}

/** The calls about the list of files that a device leaves. */
function createCatalogCalls(
  call: Caller<DeviceCloudOperations>,
  send: Send,
  timeoutMs: number,
): Required<Pick<DeviceClient, 'sendCatalog' | 'removeCatalog'>> {
  return {
    sendCatalog: (content, signal) =>
      send(async (headers) => {
        // It goes out unseen, and is checked before the response: time for 32 KiB/s.
        const patienceMs = Math.max(timeoutMs, Math.ceil(content.size / 32))
        return (await call('sendCatalog', { bytes: content, headers, timeoutMs: patienceMs, signal })).body
      }, signal),
    removeCatalog: (signal) =>
      send(async (headers) => void (await call('removeCatalog', { headers, signal })), signal),
  }
}

/** Longest time for one call: above the longest poll that a cloud holds (C22). */
export const maxTimeoutMs = 90_000

/** How much longer than it may be held an answer may take. */
const graceSeconds = 15

function toPrefer(waitSeconds: number | undefined, most: number) {
  const seconds = Math.min(Math.max(Math.floor(waitSeconds ?? 0), 1), most)
  return waitSeconds === undefined ? undefined : { prefer: `wait=${seconds}` }
}

function toNotes(headers: Headers): ListNotes {
  const applied = headers.get('preference-applied') ?? ''
  const appliedSeconds = /(?:^|[,;\s])wait\s*=\s*"?(\d{1,4})\b/i.exec(applied)?.[1]
  return {
    waitApplied: /(^|[,;\s])wait\s*(=|[,;]|$)/i.test(applied),
    appliedSeconds: appliedSeconds === undefined ? undefined : Number(appliedSeconds),
    uploadChunkBytes: toChunkBytes(headers),
    reconnectWithinSeconds: toReconnectSeconds(headers),
  }
}

/** The number, when it is one that the device should follow. */
function toReconnectSeconds(headers: Headers): number | undefined {
  const told = headers.get('reconnect-within') ?? ''
  return /^[1-9]\d{0,2}$/.test(told) ? Number(told) : undefined
}

/** The number, when it is one that a chunk may have. */
function toChunkBytes(headers: Headers): number | undefined {
  const told = headers.get('upload-chunk-bytes') ?? ''
  return /^[1-9]\d{0,8}$/.test(told) ? Number(told) : undefined
}

/** A stream's time limit starts again with every chunk; a Blob goes out unseen, so it gets time for 32 KiB/s. */
function toPatienceMs({ content, size }: UploadFile, timeoutMs: number): number {
  return content instanceof Blob ? Math.max(timeoutMs, Math.ceil(size / 32)) : timeoutMs
}

/** A requested file as one form. */
function toForm(
  { requestId, file, onProgress }: Extract<UploadDelivery, { file: unknown }>,
  timeoutMs: number,
) {
  return { form: { requestId }, file, onProgress, timeoutMs: toPatienceMs(file, timeoutMs) }
}
