import { foldCase, sleep, type Timers } from '@homeward/kit'
import { documentFormatOf, type DocumentFormat, type DocumentReader } from '@homeward/kit/documents'
import path from 'node:path'
import type { ContentSettings } from '../content-search/create-content-search.ts'
import { readBytes } from '../content-search/scan-document.ts'
import { readText } from '../content-search/scan-file.ts'
import { countCpu, providerDisk } from '../disk/lanes.ts'
import { createTurns } from '../file-search/list-folder.ts'
import { openInside } from '../file-source/open-allowed.ts'
import { isInside } from '../roots/resolve-roots.ts'
import type { ContentOutcome, ReadFile, UnreadFile } from './contents-database.ts'
import type { IndexDatabase } from './index-database.ts'

/** How an index reads contents. */
export interface ContentReading extends Pick<ContentSettings, 'documents' | 'maxFileBytes'> {
  /** How much the reading of contents takes while nothing is asked: half of a core, or a tenth. */
  readonly activity: 'normal' | 'lowest'
}

/** What reads the contents of one index file work with. */
interface ReaderOptions extends ContentReading {
  readonly index: IndexDatabase
  readonly now: () => number
  readonly timers: Timers
  readonly signal: AbortSignal
}

/** Reads the words of files into the index. */
interface ContentsReader {
  /**
   * Reads files that have changed, until all are read or `isOver`.
   *
   * @param isAfterLook whether files that could not be opened are tried again
   * @returns milliseconds after which there is more: a file that has just changed may change again without another time.
   */
  read(tops: readonly string[], isAfterLook: boolean, isOver: () => boolean): Promise<number | undefined>
}

/** A file that changed this short a time ago may change again without another time. */
const unsettledMs = 2000
const filesAtOnce = 100
/** Files that could not be opened and are remembered, so that only a look tries them again. */
const maxFailed = 10_000
/** Milliseconds of work before a rest. */
const workMs = 100
/** Milliseconds of rest for each of work. */
const restShare = { normal: 1, lowest: 9 } as const

/** Says how contents are read: if this changes, another index is made. */
export const contentSignature = ({ documents, maxFileBytes }: ContentReading): string =>
  JSON.stringify({ maxFileBytes, documents: documents !== false && documents.maxFileBytes })

/** Builds the reader of an index that has words of contents. */
export function createContentsReader(options: ReaderOptions): ContentsReader {
  const { index, timers, signal } = options
  const failed = new Set<number>()
  index.words?.retryUnsupported()
  let workedMs = 0
  /** The limit of the CPU counts for the whole process; these rests are for this work alone. */
  async function rest(sinceMs: number): Promise<void> {
    workedMs += performance.now() - sinceMs
    if (workedMs < workMs) return
    const restMs = workedMs * restShare[options.activity]
    workedMs = 0
    await sleep(restMs, signal, timers)
  }
  return {
    async read(tops, isAfterLook, isOver) {
      if (isAfterLook) failed.clear()
      let hasUnsettled = false
      for (let after = 0; ;) {
        const files = index.words?.unreadAfter(after, filesAtOnce) ?? []
        for (const file of files) {
          if (isOver() || signal.aborted) break
          if (failed.has(file.id)) continue
          const sinceMs = performance.now()
          const end = await readFile(file, tops, options).catch(() => 'failed' as const)
          if (end === 'unsettled') hasUnsettled = true
          if (end === 'failed' && failed.size < maxFailed) failed.add(file.id)
          await rest(sinceMs)
        }
        index.commit()
        after = files.at(-1)?.id ?? 0
        if (files.length === 0 || isOver() || signal.aborted) return hasUnsettled ? unsettledMs : undefined
      }
    },
  }
}

/**
 * Reads the words of one file in place of those that are known. A file that could not be read stays unread, so that
 * searches open it.
 */
async function readFile(
  file: UnreadFile,
  tops: readonly string[],
  options: ReaderOptions,
): Promise<'read' | 'unsettled' | 'failed'> {
  const { words } = options.index
  const root = tops.find((top) => isInside(top, file.folder))
  // A name that is not valid UTF-8 cannot be checked against the roots.
  if (words === undefined || root === undefined || file.raw !== null) return 'failed'
  const segments = createSegments(file, words)
  try {
    const read = await readWords(file, { ...options, root, segments })
    if (read === undefined) return 'unsettled'
    const count = segments.end()
    words.setRead({ ...read, id: file.id, segments: count })
    return 'read'
  } finally {
    segments.undo()
  }
}

interface WordsOptions extends ReaderOptions {
  readonly root: string
  readonly segments: Segments
}

/** Reads a file whose time and size do not change meanwhile; undefined for others. @throws if it gives no words now */
async function readWords(
  { folder, name }: UnreadFile,
  options: WordsOptions,
): Promise<Omit<ReadFile, 'id' | 'segments'> | undefined> {
  const { segments, signal } = options
  const at = path.join(folder, name)
  const work = (progress: () => void) => load(at, documentFormatOf(name), { ...options, progress })
  const loaded = await providerDisk.run({ at, work }, signal)
  if (loaded === undefined) return undefined
  const { content, ...facts } = loaded
  if (content === null || typeof content === 'string') return { ...facts, outcome: content }
  const { reader, format, bytes } = content
  const text = await countCpu(() => reader.read(format, bytes, signal))
  // Without its library, HTML is still a text: searches read it as one.
  if (text.outcome === 'unread' && text.reason === 'unsupported' && format === 'html')
    throw new Error('its library is missing')
  if (text.outcome === 'unread') return { ...facts, outcome: text.reason }
  const turns = createTurns()
  for (const part of text.parts) {
    const lines = `${part.text}\n`
    for (let from = 0; from < lines.length; from += maxSegment) {
      segments.add(lines.slice(from, from + maxSegment))
      await turns.rest()
    }
  }
  return { ...facts, outcome: text.truncated ? 'cut' : null }
}

/** A document that was loaded to be read. */
interface LoadedDocument {
  readonly reader: DocumentReader
  readonly format: DocumentFormat
  readonly bytes: Uint8Array
}

/** Opens a file: adds the words of a text, and gives the bytes of a document. Undefined if it changes. */
async function load(
  at: string,
  format: DocumentFormat | undefined,
  options: WordsOptions & { readonly progress: () => void },
) {
  const { root, documents: reader, maxFileBytes, segments, progress, now } = options
  const handle = await openInside(at, [root])
  const read = async (size: number): Promise<LoadedDocument | ContentOutcome | null> => {
    if (reader !== false && format !== undefined) {
      if (size > reader.maxFileBytes) return 'too_large'
      return { reader, format, bytes: await readBytes(handle, size, progress) }
    }
    const end = await readText(handle, segments.add, segments.isOver, { maxFileBytes, progress })
    return end === 'binary' ? 'not_text' : end === 'cut' ? 'cut' : null
  }
  try {
    const before = await handle.stat()
    if (Math.abs(now() - before.mtimeMs) < unsettledMs) return undefined
    const content = await read(before.size)
    const after = await handle.stat()
    const isSame = after.size === before.size && after.mtimeMs === before.mtimeMs
    return isSame ? { size: before.size, modifiedMs: Math.floor(before.mtimeMs), content } : undefined
  } finally {
    await handle.close()
  }
}

/** Characters of one segment of a text. Segments keep the lists of trigrams short, and the event loop free. */
const maxSegment = 65_536
/** Characters that a segment shares with the next one of the same line: more than a search text has. */
const shared = 4000

/** Writes the text of one file into the index, in segments. */
interface Segments {
  add(piece: string): void
  /** Whether it has ended: a disk that comes back late still reads. */
  isOver(): boolean
  /** Writes the rest. @returns how many segments there are */
  end(): number
  /** Removes what was added, unless it has ended. */
  undo(): void
}

function createSegments({ id, segments }: UnreadFile, words: NonNullable<IndexDatabase['words']>): Segments {
  let rest = ''
  let count = 0
  let isOver = false
  words.removeSegments(id, segments)
  const write = (text: string): void => {
    // Folded like the text of a search, so that whatever a search finds has the trigrams of what it looks for.
    words.addSegment(id, count, foldCase(text))
    count += 1
  }
  return {
    add(piece) {
      if (isOver) return
      rest += piece
      while (rest.length > maxSegment) {
        const line = rest.lastIndexOf('\n', maxSegment)
        write(rest.slice(0, line > 0 ? line : maxSegment))
        rest = rest.slice(line > 0 ? line + 1 : maxSegment - shared)
      }
    },
    isOver: () => isOver,
    end() {
      if (rest !== '') write(rest)
      isOver = true
      return count
    },
    undo() {
      if (isOver) return
      isOver = true
      words.removeSegments(id, count)
    },
  }
}
