import type { FileHandle } from 'node:fs/promises'
import type { BlobContent } from '../../ports/blob-store.ts'
import { toBlobError } from './blob-error.ts'

const chunkBytes = 64 * 1024

/** Reads a file as fast as it is asked for, and closes it at its end, on a cancel and when `signal` aborts. */
export async function streamFile(file: FileHandle, signal: AbortSignal): Promise<BlobContent> {
  let closed = false
  let abort = () => {}
  const close = async () => {
    if (closed) return
    closed = true
    signal.removeEventListener('abort', abort)
    await file.close()
  }

  try {
    const { size } = await file.stat()
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
          const chunk = await readChunk(file).catch(async (error: unknown) => {
            await close().catch(() => undefined)
            throw toBlobError(error, 'Reading a file')
          })
          if (closed) return
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

async function readChunk(file: FileHandle): Promise<Uint8Array> {
  const { buffer, bytesRead } = await file.read(new Uint8Array(chunkBytes), 0, chunkBytes, null)
  return buffer.subarray(0, bytesRead)
}
