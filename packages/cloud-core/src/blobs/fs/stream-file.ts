import type { FileHandle } from 'node:fs/promises'
import type { BlobContent, BlobRange } from '../../ports/blob-store.ts'
import { toBlobError } from './blob-error.ts'

const chunkBytes = 64 * 1024

/**
 * Reads a file, or a part of it, as fast as it is asked for, and closes it at its end, on a cancel and when `signal`
 * aborts.
 */
export async function streamFile(
  file: FileHandle,
  signal: AbortSignal,
  range?: BlobRange,
): Promise<BlobContent> {
  let closed = false
  let abort = () => {}
  const close = async () => {
    if (closed) return
    closed = true
    signal.removeEventListener('abort', abort)
    await file.close()
  }

  try {
    const fileBytes = (await file.stat()).size
    const end = Math.min(range?.end ?? fileBytes, fileBytes)
    let place = Math.min(range?.start ?? 0, end)
    const size = end - place
    const content = new ReadableStream<Uint8Array>(
      {
        start(controller) {
          abort = () => {
            controller.error(signal.reason)
            void close().catch(() => undefined)
          }
          signal.addEventListener('abort', abort)
        },
        async pull(controller) {
          const chunk = await readChunk(file, place, end).catch(async (error: unknown) => {
            await close().catch(() => undefined)
            throw toBlobError(error, 'Reading a file')
          })
          if (closed) return
          place += chunk.length
          if (chunk.length > 0) controller.enqueue(chunk)
          else {
            await close()
            controller.close()
          }
        },
        cancel: close,
      },
      { highWaterMark: 0 },
    )
    return { size, content }
  } catch (error) {
    await close().catch(() => undefined)
    throw toBlobError(error, 'Opening a file')
  }
}

async function readChunk(file: FileHandle, place: number, end: number): Promise<Uint8Array> {
  const length = Math.min(chunkBytes, end - place)
  const { buffer, bytesRead } = await file.read(new Uint8Array(length), 0, length, place)
  return buffer.subarray(0, bytesRead)
}
