import {
  type CatalogFile,
  createFileTest,
  createNameMatcher,
  createTopFiles,
  defaultSearchLimit,
  foldName,
  type NameMatcher,
  readDeviceFolders,
  readSearchWords,
  type RankedFile,
  type SearchResults,
  toFoundFile,
} from '@homeward/contract/device-cloud'
import type { BlobStore } from '../ports/blob-store.ts'
import type { CloudStore } from '../ports/cloud-store.ts'
import type { StoredDevice } from '../ports/device-store.ts'
import type { StoredSearch } from '../ports/search-store.ts'
import { linesOf, readCatalogText } from './catalog-text.ts'

/** Answers of devices that have not reported, out of the lists of files that they left. */
export interface CatalogAnswers {
  /** The same searches; those that wait for a device with a catalog get results from it. Nothing of them is stored. */
  fill<Row extends StoredSearch>(owner: string, rows: readonly Row[]): Promise<readonly Row[]>
}

/** What {@link createCatalogAnswers} works with. */
interface CatalogAnswersSetup {
  readonly store: Pick<CloudStore, 'findDevice'>
  readonly blobs: Pick<BlobStore, 'open'>
  readonly now: () => number
  readonly onError: (error: unknown) => void
}

/** Rows of answers that are remembered, because pages ask again while they wait. */
const maxRows = 20_000
/** After so long a page gives what it has; the next request finds more of it. */
const patienceMs = 10_000

/** A remembered answer. */
interface Answer {
  readonly blobId: string
  readonly results: Promise<SearchResults | undefined>
  rows: number
}

/** Creates the answers. Each is read once from the file of its catalog, and remembered for a while. */
export function createCatalogAnswers({ store, blobs, now, onError }: CatalogAnswersSetup): CatalogAnswers {
  /** By search, oldest first. */
  const answers = new Map<string, Answer>()

  async function read(owner: string, search: StoredSearch): Promise<SearchResults | undefined> {
    const device = await store.findDevice(owner, search.deviceId)
    if (device?.catalog?.blobId !== search.catalogBlobId) return undefined // replaced at this moment
    const blob = search.catalogBlobId && (await blobs.open(search.catalogBlobId))
    return blob && device ? searchCatalog(blob.content, search, device) : undefined
  }

  function forgetOldest(): void {
    let rows = 0
    for (const answer of answers.values()) rows += answer.rows
    for (const [id, answer] of answers) {
      if (rows <= maxRows) return
      answers.delete(id)
      rows -= answer.rows
    }
  }

  async function answer(owner: string, search: StoredSearch): Promise<SearchResults | undefined> {
    const { id, catalogBlobId: blobId = '' } = search
    const known = answers.get(id)
    if (known?.blobId === blobId) return known.results
    const results = read(owner, search).catch((error: unknown) => {
      answers.delete(id)
      onError(error)
      return undefined
    })
    const entry: Answer = { blobId, results, rows: 1 }
    answers.set(id, entry)
    const found = await results
    entry.rows += found?.files?.length ?? 0
    forgetOldest()
    return found
  }

  return {
    async fill(owner, rows) {
      const startedMs = now()
      const filled = []
      for (const row of rows) {
        const isAsked = row.catalogBlobId !== undefined && row.scope.includes('files')
        const results = isAsked && now() - startedMs < patienceMs ? await answer(owner, row) : undefined
        filled.push(results === undefined ? row : { ...row, results })
      }
      return filled
    },
  }
}

/**
 * Finds files in a catalog, as their device would: by the same words, conditions and order.
 *
 * @returns undefined if the search cannot be answered by it: it asks for folders, and the catalog has no folders.
 */
async function searchCatalog(
  content: ReadableStream<Uint8Array>,
  { query, selection = {} }: StoredSearch,
  { platform, metadata, catalog }: StoredDevice,
): Promise<SearchResults | undefined> {
  const { where = {}, sort, limit = defaultSearchLimit } = selection
  const place = { isWindows: platform === 'windows' }
  const isWanted = createFileTest(where, place)
  const matcher = createNameMatcher(query, { matchesAll: selection.where !== undefined, ...place })
  const mayMatch = createTextTest(query, matcher.parts)
  const pathsOf = createPaths(readDeviceFolders(metadata), place.isWindows)
  const top = createTopFiles({ query, sort, maxRows: limit })
  const wantsFolders = where.kind?.includes('folder') ?? false
  let hasFolders = false
  let isHead = true

  const take = (line: string): void => {
    const file = JSON.parse(line) as CatalogFile // checked when it was stored
    const isFolder = file.kind === 'folder'
    hasFolders ||= isFolder
    if ((isFolder && !wantsFolders) || !isWanted(file)) return
    if (!matcher.matches({ name: file.name, ...pathsOf(file.path) })) return
    const rank = matcher.rank(file.name)
    if (top.hasRoom(rank)) top.add({ ...file, rank } satisfies RankedFile)
  }
  for await (const text of readCatalogText(content)) {
    if (!isHead && !wantsFolders && !mayMatch(text)) continue
    for (const line of linesOf(text)) {
      if (!isHead && (wantsFolders || mayMatch(line))) take(line)
      isHead = false
    }
  }
  if (wantsFolders && !hasFolders) return undefined
  return {
    files: top.list().map(toFoundFile),
    source: 'catalog',
    ...(catalog && { asOf: catalog.asOf }),
    ...(top.overflowed() && { truncated: { files: true } }),
  }
}

/**
 * Tests whether a row that matches can be in a text. Most of a catalog is left out by it, unparsed.
 */
function createTextTest(query: string, parts: NameMatcher['parts']): (text: string) => boolean {
  // JSON writes these in another way
  if (parts === undefined || /["\\\p{Cc}]/u.test(query)) return () => true
  const words = readSearchWords(query)
  // each word stands in the name or in the path, or the name holds the text as it is
  const lists = words ? [words.plain] : parts
  return (text) => {
    const folded = foldName(text)
    return (
      folded.includes('\\u') ||
      lists.some((some) => some.every((part) => folded.includes(part))) ||
      (words !== undefined && text.includes(query.trim()))
    )
  }
}

/** Makes the paths of a file that a search text is held against: below the folder that is shared, and the whole one. */
function createPaths(folders: readonly string[], isWindows: boolean) {
  const toSlashes = (path: string) => (isWindows ? path.replaceAll('\\', '/') : path)
  const starts = folders.map((folder) => `${toSlashes(folder).replace(/\/+$/, '')}/`)
  return (path: string) => {
    const fullPath = () => toSlashes(path)
    return {
      fullPath,
      path: () => fullPath().slice(starts.find((start) => fullPath().startsWith(start))?.length ?? 0),
    }
  }
}
