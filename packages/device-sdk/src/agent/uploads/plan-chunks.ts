import type { ChunkPlan } from '@homeward/contract/device-cloud'
import type { OpenedFile } from '../../ports/index.ts'

const maxChunks = 1000
const minChunkBytes = 65_536
const maxChunkBytes = 67_108_864

/** Reads bytes of a file from `start` up to `end`. */
export type ReadRange = (start: number, end: number) => Promise<Uint8Array<ArrayBuffer>>

/** How a file can be read in pieces; undefined where it can only be read once, from its start. */
export function rangeReaderOf({ content, read }: OpenedFile): ReadRange | undefined {
  if (read) return async (start, end) => new Uint8Array(await read(start, end))
  if (!(content instanceof Blob)) return undefined
  return async (start, end) => new Uint8Array(await content.slice(start, end).arrayBuffer())
}

/**
 * The size of chunks for a file: what the cloud offered, doubled until there are few enough of them. Undefined where the
 * file is better sent as one form.
 */
export function chunkBytesFor(size: number, offered: number | undefined): number | undefined {
  if (offered === undefined || offered < minChunkBytes || offered > maxChunkBytes || size <= offered)
    return undefined
  let chunkBytes = offered
  while (size > chunkBytes * maxChunks) chunkBytes *= 2
  return chunkBytes <= maxChunkBytes ? chunkBytes : undefined
}

/** Start and end of a chunk. */
export function rangeOf(plan: Pick<ChunkPlan, 'size' | 'chunkBytes'>, index: number): [number, number] {
  const start = index * plan.chunkBytes
  return [start, Math.min(plan.size, start + plan.chunkBytes)]
}

/** Reads a file once, chunk by chunk, for the digests of all of them. */
export async function planChunks(
  file: Pick<OpenedFile, 'fileName' | 'size'>,
  chunkBytes: number,
  read: ReadRange,
  signal: AbortSignal,
): Promise<ChunkPlan> {
  const { fileName, size } = file
  const digests: string[] = []
  for (let index = 0; index * chunkBytes < size; index += 1) {
    signal.throwIfAborted()
    digests.push(await digestOf(await read(...rangeOf({ size, chunkBytes }, index))))
  }
  return { fileName, size, chunkBytes, digests }
}

/** SHA-256 in base64, as `Content-Digest` (RFC 9530) writes it. */
export async function digestOf(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', bytes)
  return btoa(String.fromCharCode(...new Uint8Array(digest)))
}
