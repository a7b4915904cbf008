import type { FileMatch, FoundFile } from '@homeward/contract/device-cloud'
import type { DocumentFormat, DocumentPart, DocumentReader, UnreadDocument } from '@homeward/kit/documents'
import type { FileHandle } from 'node:fs/promises'
import path from 'node:path'
import { countCpu, providerDisk } from '../disk/lanes.ts'
import { toTimestamp } from '../file-search/describe-file.ts'
import { openInside } from '../file-source/open-allowed.ts'
import { createLineFinder } from './line-finder.ts'
import type { ScanOptions } from './scan-file.ts'

/** What one document is scanned for, and by what it is read. */
interface DocumentScan extends Omit<ScanOptions, 'progress' | 'maxFileBytes'> {
  readonly documents: DocumentReader
  readonly signal: AbortSignal
}

/** What a scan of a document gave. */
interface DocumentFinding {
  /** The document, if it holds what is looked for. */
  readonly file?: FoundFile
  /** Whether text of it was left out. */
  readonly isPartial?: boolean
  /** Why it gave no text. */
  readonly skipped?: UnreadDocument
}

/**
 * Looks through a document. Its lines are those of the text that was read from it.
 *
 * @throws {DeviceCloudError} `POLICY_DENIED` or `FILE_UNAVAILABLE` if it cannot be opened; the error of a read.
 */
export async function scanDocument(
  filePath: string,
  format: DocumentFormat,
  { documents, signal, ...options }: DocumentScan,
): Promise<DocumentFinding> {
  const work = (progress: () => void) => readWhole(filePath, { ...options, progress }, documents.maxFileBytes)
  const file = await providerDisk.run({ at: filePath, work }, signal)
  if (!file) return {}
  if (!file.bytes) return { skipped: 'too_large' }
  const { facts, bytes } = file
  const read = await countCpu(() => documents.read(format, bytes, signal))
  if (read.outcome === 'unread') return { skipped: read.reason }
  const finder = createLineFinder(options)
  for (const { text } of read.parts) {
    if (finder.isFull()) break
    finder.add(`${text}\n`)
  }
  const isPartial = read.truncated && !finder.isFull()
  if (finder.matches.length === 0) return { isPartial }
  const found: FoundFile = {
    path: filePath.toWellFormed(),
    name: path.basename(filePath).toWellFormed(),
    ...facts,
    matches: withPages(finder.matches, read.parts),
  }
  return { file: found, isPartial }
}

/** A whole file; without `bytes` if it is larger than the limit, and undefined if nobody looks for such a file. */
async function readWhole(
  filePath: string,
  { root, isWanted, progress }: Pick<ScanOptions, 'root' | 'isWanted' | 'progress'>,
  maxBytes: number,
) {
  const handle = await openInside(filePath, [root])
  try {
    const { size, mtimeMs } = await handle.stat()
    const facts = { size, modified: toTimestamp(mtimeMs) }
    if (!isWanted(facts)) return undefined
    if (size > maxBytes) return { facts, bytes: undefined }
    return { facts, bytes: await readBytes(handle, size, progress) }
  } finally {
    await handle.close()
  }
}

/** The first bytes of a file; fewer if it has become shorter. */
export async function readBytes(handle: FileHandle, size: number, progress: () => void): Promise<Buffer> {
  const bytes = Buffer.alloc(size)
  let length = 0
  while (length < size) {
    const { bytesRead } = await handle.read(bytes, length, size - length, length)
    progress()
    if (bytesRead === 0) break
    length += bytesRead
  }
  return bytes.subarray(0, length)
}

/** Adds the page of the part that a line stands in. */
function withPages(matches: readonly FileMatch[], parts: readonly DocumentPart[]): FileMatch[] {
  const pages: (number | undefined)[] = []
  for (const { text, page } of parts) for (const _ of text.split('\n')) pages.push(page)
  return matches.map((match) => {
    const page = pages[match.line - 1]
    return page === undefined ? match : { ...match, page }
  })
}
