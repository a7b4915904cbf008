import type { FoundFile } from '@homeward/contract/device-cloud'
import type { FileHandle } from 'node:fs/promises'
import path from 'node:path'
import { toTimestamp } from '../file-search/describe-file.ts'
import { openInside } from '../file-source/open-allowed.ts'
import { createLineFinder, type LineFinderOptions } from './line-finder.ts'

/** What one file is scanned for, and how far. */
export interface ScanOptions extends LineFinderOptions {
  /** Real path of the folder that the file must lie in. */
  readonly root: string
  /** Bytes that are read at most. */
  readonly maxFileBytes: number
  /** Asked before each read; true ends the scan. */
  readonly isOver: () => boolean
  /** Called after each read. */
  readonly progress: () => void
}

/** What a scan gave. */
export interface ScanResult {
  /** The file, if it is text that holds what is looked for. */
  readonly file: FoundFile | undefined
  /** Whether text of it was left out. */
  readonly isPartial: boolean
}

const chunkBytes = 65_536
const nothing: ScanResult = { file: undefined, isPartial: false }

/**
 * Looks through a text file, in constant memory. UTF-8 and, with a byte order mark, UTF-16 are text; a file in UTF-8 that
 * holds a NUL byte is not.
 *
 * @throws {DeviceCloudError} `POLICY_DENIED` or `FILE_UNAVAILABLE` if it cannot be opened; the error of a read.
 */
export async function scanFile(filePath: string, options: ScanOptions): Promise<ScanResult> {
  const handle = await openInside(filePath, [options.root])
  try {
    const facts = await handle.stat()
    const finder = createLineFinder(options)
    const end = await readText(handle, finder.add, () => finder.isFull() || options.isOver(), options)
    if (end === 'binary') return nothing
    finder.end()
    const { matches } = finder
    const isPartial = end === 'cut' && !finder.isFull()
    if (matches.length === 0) return { file: undefined, isPartial }
    const file = {
      path: filePath.toWellFormed(),
      name: path.basename(filePath).toWellFormed(),
      size: facts.size,
      modified: toTimestamp(facts.mtimeMs),
      matches: [...matches],
    }
    return { file, isPartial }
  } finally {
    await handle.close()
  }
}

/** Reads a file as text, up to a limit. */
async function readText(
  handle: FileHandle,
  take: (text: string) => void,
  isOver: () => boolean,
  { maxFileBytes, progress }: ScanOptions,
): Promise<'whole' | 'cut' | 'binary'> {
  const chunk = Buffer.allocUnsafe(chunkBytes)
  let decoder: TextDecoder | undefined
  for (let position = 0; ;) {
    if (isOver()) return 'cut'
    const { bytesRead } = await handle.read(chunk, 0, Math.min(chunkBytes, maxFileBytes - position), position)
    progress()
    const bytes = chunk.subarray(0, bytesRead)
    decoder ??= new TextDecoder(encodingOf(bytes))
    if (decoder.encoding === 'utf-8' && bytes.includes(0)) return 'binary'
    take(decoder.decode(bytes, { stream: bytesRead > 0 }))
    if (bytesRead === 0) return position < maxFileBytes || (await isEnd(handle, position)) ? 'whole' : 'cut'
    position += bytesRead
  }
}

function encodingOf(start: Buffer): string {
  if (start[0] === 0xff && start[1] === 0xfe) return 'utf-16le'
  return start[0] === 0xfe && start[1] === 0xff ? 'utf-16be' : 'utf-8'
}

const isEnd = async (handle: FileHandle, position: number): Promise<boolean> =>
  (await handle.read(Buffer.alloc(1), 0, 1, position)).bytesRead === 0
