import type { UnreadDocument } from '@homeward/kit/documents'
import type { DatabaseSync } from 'node:sqlite'
import type { UnknownFile } from './index-database.ts'

/** What reading the content of a file gave, beside its words: `cut` is a text whose end was not read. */
export type ContentOutcome = 'cut' | 'not_text' | UnreadDocument

/** A file whose content is to be read. */
export interface UnreadFile extends UnknownFile {
  readonly segments: number
}

/** What is known of a file once its content was read. */
export interface ReadFile {
  readonly id: number
  readonly size: number
  readonly modifiedMs: number
  readonly segments: number
  /** Null for a text that was read to its end. */
  readonly outcome: ContentOutcome | null
}

/** A row of the word index is the file's id and the number of its segment. A text of the largest size has about 180. */
const segmentBits = 4096
/** Makes a file's content unread again, in a statement on `files`. */
export const isUnread = '(size is not null and (read_ms is not modified_ms or read_size is not size))'
/** The file of a row of the word index. */
export const fileOfSegment = `texts.rowid / ${segmentBits}`

/** Creates what holds words of contents. Trigrams without places: the texts cannot be read back from them. */
export const contentsSchema = `
  create index files_unread on files (id) where ${isUnread};
  create index files_outcome on files (folder, outcome) where outcome is not null;
  create virtual table texts using fts5 (text, tokenize = 'trigram case_sensitive 1', content = '', detail = none,
    contentless_delete = 1);`

/** The statements on contents. All of them write into a transaction that `begin` opens. */
export function contentStatements(database: DatabaseSync, begin: () => void) {
  const unread = database.prepare(
    `select files.id, files.name, files.raw, files.segments, folders.path as folder
     from files indexed by files_unread join folders on folders.id = files.folder
     where ${isUnread} and files.id > ? order by files.id limit ?`,
  )
  const insertText = database.prepare('insert into texts (rowid, text) values (?, ?)')
  const deleteText = database.prepare('delete from texts where rowid = ?')
  const segmentsOf = database.prepare('select segments from files where id = ?')
  const setRead = database.prepare(
    `update files set size = ?1, modified_ms = ?2, read_size = ?1, read_ms = ?2, segments = ?3, outcome = ?4 where id = ?5`,
  )
  const retry = database.prepare("update files set read_ms = null where outcome = 'unsupported'")
  const merge = database.prepare("insert into texts (texts, rank) values ('merge', ?)")
  const changes = database.prepare('select total_changes() as count')

  const countChanges = () => Number(changes.get()?.['count'])
  const removeSegments = (id: number, count: number): void => {
    for (let at = 0; at < count; at += 1) deleteText.run(id * segmentBits + at)
  }
  return {
    /** Files whose content was not read since they changed, in the order of their ids. */
    unreadAfter: (id: number, limit: number) => unread.all(id, limit) as unknown as UnreadFile[],
    addSegment(id: number, at: number, text: string): void {
      begin()
      // to SQLite a text ends at U+0000
      insertText.run(id * segmentBits + at, text.replaceAll('\0', '\uFFFD'))
    },
    removeSegments(id: number, count: number): void {
      begin()
      removeSegments(id, count)
    },
    /** Removes the words of a file that is about to be removed. */
    removeTexts: (id: number): void => removeSegments(id, Number(segmentsOf.get(id)?.['segments'] ?? 0)),
    setRead({ id, size, modifiedMs, segments, outcome }: ReadFile): void {
      begin()
      setRead.run(size, modifiedMs, segments, outcome, id)
    },
    /** Has documents read again whose library may have been installed since. */
    retryUnsupported: (): void => void retry.run(),
    /** Takes what was removed out of the word index, a part in each call. @returns whether there may be more. */
    mergeTexts(isFirst: boolean): boolean {
      const before = countChanges()
      merge.run(isFirst ? -mergedPages : mergedPages)
      return countChanges() - before >= 2
    },
  }
}

/** Pages of the word index that one call merges. */
const mergedPages = 200
