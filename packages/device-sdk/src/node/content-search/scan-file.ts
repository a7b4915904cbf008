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
  /** Whether a file of this size and time is looked for. */
  readonly isWanted: (file: Pick<FoundFile, 'size' | 'modified'>) => boolean
  /** Bytes that are read at most. */
  readonly maxFileBytes: number
  /** Asked before each read; true ends the scan. */
  readonly isOver: () => boolean
  /** Called after each read. */
  readonly progress: () => void
}

/** What a scan gave. */
interface ScanResult {
  /** The file, if it is text that holds what is looked for. */
  readonly file: FoundFile | undefined
  /** Whether text of it was left out. */
  readonly isPartial: boolean
  readonly isText: boolean
}

const chunkBytes = 65_536
const notText: ScanResult = { file: undefined, isPartial: false, isText: false }

/**
 * Looks through a text file, in constant memory. UTF-8 and, with a byte order mark, UTF-16 are text; a file that begins
 * with other bytes is not.
 *
 * @throws {DeviceCloudError} `POLICY_DENIED` or `FILE_UNAVAILABLE` if it cannot be opened; the error of a read.
 */
export async function scanFile(filePath: string, options: ScanOptions): Promise<ScanResult> {
  const handle = await openInside(filePath, [options.root])
  try {
    const { size, mtimeMs } = await handle.stat()
    const facts = { size, modified: toTimestamp(mtimeMs) }
    if (!options.isWanted(facts)) return { file: undefined, isPartial: false, isText: true }
    const finder = createLineFinder(options)
    const end = await readText(handle, finder.add, () => finder.isFull() || options.isOver(), options)
    if (end === 'binary') return notText
    finder.end()
    const { matches } = finder
    const isPartial = end === 'cut' && !finder.isFull()
    if (matches.length === 0) return { file: undefined, isPartial, isText: true }
    const file = {
      path: filePath.toWellFormed(),
      name: path.basename(filePath).toWellFormed(),
      ...facts,
      matches: [...matches],
    }
    return { file, isPartial, isText: true }
  } finally {
    await handle.close()
  }
}

/** Reads a file as text, up to a limit; a `binary` one is not text. */
export async function readText(
  handle: FileHandle,
  take: (text: string) => void,
  isOver: () => boolean,
  { maxFileBytes, progress }: Pick<ScanOptions, 'maxFileBytes' | 'progress'>,
): Promise<'whole' | 'cut' | 'binary'> {
  const chunk = Buffer.allocUnsafe(chunkBytes)
  let decoder: TextDecoder | undefined
  for (let position = 0; ;) {
    if (isOver()) return 'cut'
    const { bytesRead } = await handle.read(chunk, 0, Math.min(chunkBytes, maxFileBytes - position), position)
    progress()
    const bytes = chunk.subarray(0, bytesRead)
    if (decoder === undefined) {
      decoder = new TextDecoder(encodingOf(bytes))
      if (decoder.encoding === 'utf-8' && !isText(bytes.subarray(0, sampleBytes))) return 'binary'
    }
    take(decoder.decode(bytes, { stream: bytesRead > 0 }))
    if (bytesRead === 0) return position < maxFileBytes || (await isEnd(handle, position)) ? 'whole' : 'cut'
    position += bytesRead
  }
}

/** Bytes at the start of a file that tell whether it is text. */
const sampleBytes = 8000
/** More NUL bytes that stand alone are every second byte of UTF-16. */
const maxLoneNulShare = 0.1

/**
 * Whether UTF-8 begins so. Runs of NUL bytes count as text, because they are what a power cut leaves in a log; other control
 * characters do not, and neither do bytes that are not UTF-8.
 */
function isText(sample: Buffer): boolean {
  const text = sample.toString('latin1')
  const lone = text.match(/(?<!\0)\0(?!\0)/g)?.length ?? 0
  if (lone > Math.max(1, sample.length * maxLoneNulShare)) return false
  // oxlint-disable-next-line no-control-regex -- control characters are what it looks for
  if (/[\x01-\x06\x0e-\x1a\x1c-\x1f]/.test(text)) return false
  // The sample may end inside a character.
  const decoded = new TextDecoder().decode(sample, { stream: true })
  return (decoded.match(/\uFFFD/g)?.length ?? 0) <= Math.max(1, decoded.length * maxLoneNulShare)
}

function encodingOf(start: Buffer): string {
  if (start[0] === 0xff && start[1] === 0xfe) return 'utf-16le'
  return start[0] === 0xfe && start[1] === 0xff ? 'utf-16be' : 'utf-8'
}

const isEnd = async (handle: FileHandle, position: number): Promise<boolean> =>
  (await handle.read(Buffer.alloc(1), 0, 1, position)).bytesRead === 0
