import type { FileHandle } from 'node:fs/promises'
import { DeviceCloudError } from '../../device-cloud-error.ts'
import { providerDisk } from '../disk/lanes.ts'

const chunkBytes = 256 * 1024

/** A file that is being streamed. */
export interface StreamedFile {
  readonly handle: FileHandle
  readonly filePath: string
  /** Bytes the file had when it was opened. */
  readonly size: number
  /** When the file was last written, as it was when it was opened. */
  readonly modifiedMs: number
  /** For error messages: the file's plain name. */
  readonly name: string
  readonly signal: AbortSignal
  /** Releases the handle; safe to call twice. */
  readonly close: () => Promise<void>
}

/**
 * Streams an open file in chunks of at most 256 KiB, one read per pull.
 *
 * Gives exactly `size` bytes or an error: a file that shrinks, grows or is written to meanwhile ends in `FILE_UNAVAILABLE`.
 * The handle is closed at the end, on an error and on cancel.
 */
export function streamFile(file: StreamedFile): ReadableStream<Uint8Array> {
  const { size, close } = file
  let sentBytes = 0
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
    try {
      file.signal.throwIfAborted()
      const chunk = await readChunk(file, sentBytes)
      sentBytes += chunk.byteLength
      // The last bytes leave only after a look behind the end, so that nobody takes a cut file for a whole one.
      if (sentBytes === size) await assertEnded(file)
      if (chunk.byteLength > 0) controller.enqueue(chunk)
      if (sentBytes < size) return
      await close()
      controller.close()
    } catch (error) {
      await close()
      throw error
    }
  }
  return new ReadableStream({ pull, cancel: close }, { highWaterMark: 0 })
}

async function readChunk(file: StreamedFile, position: number): Promise<Uint8Array> {
  const { size, name } = file
  const wanted = Math.min(chunkBytes, size - position)
  // Not zeroed: only what was read into it leaves this function.
  const chunk = Buffer.allocUnsafeSlow(wanted)
  if (wanted === 0) return chunk
  const { bytesRead } = await onDisk(file, (handle) => handle.read(chunk, 0, wanted, position))
  if (bytesRead === 0) throw changed(name, 'it became shorter')
  return chunk.subarray(0, bytesRead)
}

async function assertEnded(file: StreamedFile): Promise<void> {
  const { bytesRead } = await onDisk(file, (handle) => handle.read(new Uint8Array(1), 0, 1, file.size))
  if (bytesRead > 0) throw changed(file.name, 'it became longer')
  assertUnwritten(file, await onDisk(file, (handle) => handle.stat()))
}

/** Refuses a file that was written to since it was opened: its bytes would be partly old and partly new. */
export function assertUnwritten(
  { name, modifiedMs }: StreamedFile,
  found: { readonly mtimeMs: number },
): void {
  if (found.mtimeMs !== modifiedMs) throw changed(name, 'it was written to')
}

/**
 * Calls the disk for an open file.
 *
 * @throws {DeviceCloudError} `FILE_UNAVAILABLE` if the disk fails or does not respond; the signal's reason on abort.
 */
export async function onDisk<Result>(
  { handle, filePath, name, signal }: StreamedFile,
  call: (handle: FileHandle) => Promise<Result>,
): Promise<Result> {
  try {
    return await providerDisk.run({ at: filePath, work: () => call(handle) }, signal)
  } catch (cause) {
    signal.throwIfAborted()
    if (DeviceCloudError.is(cause)) throw cause
    throw new DeviceCloudError(
      'FILE_UNAVAILABLE',
      `Reading "${name}" failed: the disk reported an error. Check the disk.`,
      {
        cause,
      },
    )
  }
}

/** For a file that does not hold still. */
export function changed(name: string, how: string): DeviceCloudError {
  return new DeviceCloudError(
    'FILE_UNAVAILABLE',
    `Reading "${name}" failed: ${how} while it was read. Request the file again when no program writes to it.`,
  )
}
