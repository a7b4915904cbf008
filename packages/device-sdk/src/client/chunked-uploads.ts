import type { Caller, UnsharedBytes } from '@homeward/contract/client'
import type {
  ChunkedUpload,
  ChunkPlan,
  DeviceCloudOperations,
  UploadResult,
} from '@homeward/contract/device-cloud'

/** A chunk to send. */
export interface UploadChunk {
  /** Index of the chunk in the file, starting at 0. */
  readonly index: number
  readonly bytes: UnsharedBytes
  /** SHA-256 of the bytes in base64. */
  readonly digest: string
}

/** Calls of a resumable upload, if the cloud supports it. Each call sends exactly one request. */
export interface ChunkedUploads {
  /** Starts an upload with a plan, or resumes one with the same plan. */
  begin(requestId: string, plan: ChunkPlan, signal?: AbortSignal): Promise<ChunkedUpload>
  /** Sends one chunk. */
  send(requestId: string, chunk: UploadChunk, signal?: AbortSignal): Promise<void>
  /** Completes the upload: the cloud joins the chunks. */
  complete(requestId: string, signal?: AbortSignal): Promise<UploadResult>
}

/** Sends a call with the key of the device. */
export type Send = <T>(
  run: (headers: Record<string, string>) => Promise<T>,
  signal: AbortSignal | undefined,
) => Promise<T>

/** Builds the calls. */
export function createChunkedUploads(
  call: Caller<DeviceCloudOperations>,
  send: Send,
  timeoutMs: number,
): ChunkedUploads {
  return {
    begin: (id, body, signal) =>
      send(
        async (headers) => (await call('beginChunkedUpload', { params: { id }, body, headers, signal })).body,
        signal,
      ),
    send: (id, { index, bytes, digest }, signal) =>
      send(async (auth) => {
        const headers = { ...auth, 'content-digest': `sha-256=:${digest}:` }
        const params = { id, index: String(index) }
        // It goes out unseen, so it gets time for 32 KiB/s.
        const patienceMs = Math.max(timeoutMs, Math.ceil(bytes.length / 32))
        const input = { params, bytes, headers, timeoutMs: patienceMs, signal }
        await call('sendUploadChunk', input)
      }, signal),
    complete: (id, signal) =>
      send(
        async (headers) => (await call('completeChunkedUpload', { params: { id }, headers, signal })).body,
        signal,
      ),
  }
}
