import { platformTimers, sleep, type Timers } from '@homeward/kit'
import { checkNumbers } from '../../check-numbers.ts'
import type { FileSource, OpenedFile } from '../../ports/file-source.ts'

/** Options of {@link paceFileSource}. */
export interface PacedFileSourceOptions {
  /** Maximum bytes per second of all uploads together. */
  readonly maxBytesPerSecond: number
  /** Returns the time in milliseconds, to measure durations. @default Date.now */
  readonly now?: () => number
  /** Timers, to use your own clock. @default the timers of the platform */
  readonly timers?: Timers
}

/** A slower upload sends no chunks: each of them would have to be read before the first byte of it leaves. */
const minChunkedBytes = 64 * 1024
const maxPieceBytes = 256 * 1024

/**
 * Limits the total speed of all uploads from a file source.
 *
 * @throws {DeviceCloudError} `INVALID_OPTION` if `maxBytesPerSecond` is not a positive number.
 * @example
 * const files = paceFileSource(createFileSource({ roots: ['/home/ada'] }), { maxBytesPerSecond: 1_000_000 })
 */
export function paceFileSource(source: FileSource, options: PacedFileSourceOptions): FileSource {
  const { maxBytesPerSecond, now = Date.now, timers = platformTimers } = options
  checkNumbers('Limiting the pace of uploads', { maxBytesPerSecond }, 1)
  const pieceBytes = Math.max(1, Math.min(maxPieceBytes, Math.floor(maxBytesPerSecond / 4)))
  let freeMs = 0

  /** Waits until so many bytes may follow those before. */
  async function take(bytes: number, signal: AbortSignal): Promise<void> {
    // A clock that was put back makes nobody wait.
    const startMs = freeMs - now() > 3_600_000 ? now() : Math.max(now(), freeMs)
    freeMs = startMs + (bytes / maxBytesPerSecond) * 1000
    await sleep(Math.ceil(startMs - now()), signal, timers)
    signal.throwIfAborted()
  }

  function pace(content: OpenedFile['content'], signal: AbortSignal): ReadableStream<Uint8Array> {
    const reader = (content instanceof Blob ? content.stream() : content).getReader()
    let rest: Uint8Array = new Uint8Array()
    return new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          if (rest.byteLength === 0) {
            const { done, value } = await reader.read()
            if (done) return controller.close()
            rest = value
          }
          const piece = rest.subarray(0, pieceBytes)
          rest = rest.subarray(piece.byteLength)
          await take(piece.byteLength, signal)
          controller.enqueue(piece)
        },
        cancel: (reason) => reader.cancel(reason),
      },
      { highWaterMark: 0 },
    )
  }

  return {
    async open(filePath, given) {
      const { read, ...file } = await source.open(filePath, given)
      const { signal } = given
      return {
        ...file,
        content: pace(file.content, signal),
        ...(read !== undefined &&
          maxBytesPerSecond >= minChunkedBytes && {
            async read(start: number, end: number) {
              await take(end - start, signal)
              return read(start, end)
            },
          }),
      }
    },
  }
}
