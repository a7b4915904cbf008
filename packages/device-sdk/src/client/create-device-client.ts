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

/** Options of {@link createDeviceClient}. */
export interface DeviceClientOptions extends Pick<
  ClientOptions,
  'baseUrl' | 'fetch' | 'maxReplyBytes' | 'now'
> {
  /**
   * Time limit of a call including its response body, in milliseconds, at most 90000. While a streamed file is sent,
   * the limit restarts with every chunk.
   *
   * @default 90000
   */
  readonly timeoutMs?: number
  /** API key of the device. A function is called for every request, so a new key needs no restart. */
  readonly apiKey: ApiKey
}

/** Response to a heartbeat. */
export type HeartbeatReply = ReplyOf<DeviceCloudOperations['sendHeartbeat']> & ReconnectNote

/** When a device may send its next request after a broken connection. */
export interface ReconnectNote {
  /** Approximate delay in seconds. @default when the next request was due anyway */
  readonly reconnectWithinSeconds?: number | undefined
}

/** Response to a catalog. */
export type CatalogReply = ReplyOf<DeviceCloudOperations['sendCatalog']>

/** A file to upload: name, size in bytes, and content as a Blob or a stream. */
export type UploadFile = FormFile

/** Options for reading a list of pending work. */
export interface PendingOptions {
  /** Duration of a long poll, 1 to 60 seconds. @default no long poll: the response comes at once */
  readonly waitSeconds?: number
}

/** Listed requests of one kind. */
export interface ListedRequests<Request> {
  readonly requests: readonly Request[]
  /** Listed requests with an undocumented format. */
  readonly invalid?: readonly InvalidRequest[]
}

/** Facts about a list besides its requests. */
export interface ListNotes extends ReconnectNote {
  /** Whether the cloud reports that it held the response as requested. */
  readonly waitApplied: boolean
  /** Maximum hold time in seconds, if the cloud reports it. */
  readonly appliedSeconds?: number | undefined
  /** Recommended chunk size in bytes, if the cloud supports resumable uploads. */
  readonly uploadChunkBytes?: number | undefined
}

/** A list of pending work. */
export interface PendingList<Request> extends ListedRequests<Request>, ListNotes {}

/** Options for getting all work. */
export interface WorkOptions {
  /** Metadata of the device, as in a heartbeat. */
  readonly metadata: DeviceMetadata
  /** Ids of unreported searches and upload requests that the device already has. @default no ids */
  readonly working?: readonly string[]
  /** Duration of a long poll, 1 to 300 seconds. @default no long poll: the response comes at once */
  readonly waitSeconds?: number
}

/** All work that is new to the device. */
export interface WorkList extends ListNotes {
  readonly searches: ListedRequests<SearchRequest>
  readonly uploads: ListedRequests<UploadRequest>
}

/** A requested file, or the reason why it is unavailable. */
export type UploadDelivery =
  | {
      readonly requestId: string
      readonly file: UploadFile
      /** Called with the number of bytes passed to the network, and the total. Only for streams. */
      readonly onProgress?: (sentBytes: number, totalBytes: number) => void
    }
  | { readonly requestId: string; readonly error: string }

/**
 * The device operations of the cloud. Each call sends exactly one request: no retries, no redirects.
 *
 * Every call throws a {@link DeviceCloudError}, or the reason of its signal when the signal aborts.
 */
export interface DeviceClient {
  /** Sends a heartbeat: marks the device as online and updates its metadata. */
  sendHeartbeat(metadata: DeviceMetadata, signal?: AbortSignal): Promise<HeartbeatReply>
  /** Lists the pending searches of the device, oldest first. */
  listPendingSearches(options?: PendingOptions, signal?: AbortSignal): Promise<PendingList<SearchRequest>>
  /** Reports a search. A non-empty `error` sets it to `failed`. */
  reportSearch(report: SearchReport, signal?: AbortSignal): Promise<SearchReportReply>
  /** Lists the pending file requests of the device, oldest first. */
  listPendingUploads(options?: PendingOptions, signal?: AbortSignal): Promise<PendingList<UploadRequest>>
  /** Sends a requested file, or the reason why it is unavailable. */
  uploadFile(delivery: UploadDelivery, signal?: AbortSignal): Promise<UploadResult>
  /**
   * Gets all work in one request, which also counts as a heartbeat.
   *
   * @throws {DeviceCloudError} with `status` 404 or 405 if the cloud does not support this request
   */
  takeWork?(options: WorkOptions, signal?: AbortSignal): Promise<WorkList>
  /** Uploads the list of this device's files as gzip-compressed NDJSON: see `CatalogSource`. */
  sendCatalog?(content: Blob, signal?: AbortSignal): Promise<CatalogReply>
  /** Removes the list of files from the cloud. */
  removeCatalog?(signal?: AbortSignal): Promise<void>
  /** Resumable uploads in chunks, for clouds that support them. */
  readonly chunkedUploads?: ChunkedUploads
  /** Whether the key source returns a different key than the last one that got a 401 response. Sends no request. */
  hasNewKey(): Promise<boolean>
}

/**
 * Creates the client of one device.
 *
 * @throws {DeviceCloudError} `INVALID_OPTION` if the base URL or the API key is invalid.
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
          'reportSearch failed: the response belongs to another search. Check "baseUrl".',
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
