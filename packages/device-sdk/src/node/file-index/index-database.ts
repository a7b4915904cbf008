import { fileKindOf, foldName } from '@homeward/contract/device-cloud'
import { chmodSync, closeSync, mkdirSync, openSync, rmSync, statSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { contentsSchema, contentStatements } from './contents-database.ts'

/** Grows with each change of the tables: a file of another version is rebuilt. */
const schemaVersion = 2

/** What a folder was when it was last listed. */
export interface KnownFolder {
  readonly id: number
  readonly path: string
  /** Time of its last change, in milliseconds; null: it has to be listed. */
  readonly seenMs: number | null
  /** Why it could not be listed. */
  readonly problem: string | null
}

/** A file of a folder. */
interface KnownFile {
  readonly id: number
  readonly name: string
  /** The name as bytes, if it is not valid UTF-8. */
  readonly raw: Uint8Array | null
}

/** A file as the list of its folder has it. */
export interface FileInFolder extends Omit<KnownFile, 'id'>, Omit<FileFacts, 'id'> {}

/** What is in a folder now. */
export interface FolderContent {
  readonly files: readonly FileInFolder[]
  readonly folders: readonly string[]
}

/** A file whose size and time are not known yet. */
export interface UnknownFile extends KnownFile {
  readonly folder: string
}

/** Size and time of a file. */
export interface FileFacts {
  readonly id: number
  readonly size: number
  readonly modifiedMs: number
}

/** Folders that are gone wait under this parent until their files are removed. */
const detached = -1

/** The index file, open for the one process that writes it. All calls are short, and none waits for the searched disks. */
export type IndexDatabase = ReturnType<typeof openIndexDatabase>

/**
 * Opens the file, made when it is missing, readable for this user alone.
 *
 * @param contents how contents are read; undefined if they are not. A file that has words of contents which were read
 * otherwise is not opened.
 * @throws the error of SQLite for a file that is damaged or of another version.
 */
export function openIndexDatabase(file: string, contents: string | undefined) {
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 })
  closeSync(openSync(file, 'a', 0o600))
  chmodSync(file, 0o600)
  const database = new DatabaseSync(file, { timeout: 5000 })
  try {
    prepareSchema(database, contents)
  } catch (error) {
    database.close()
    throw error
  }
  const transaction = createTransaction(database)
  const words = contents === undefined ? undefined : contentStatements(database, transaction.begin)
  return {
    ...lookStatements(database, transaction, words?.removeTexts),
    ...factStatements(database),
    ...fileState(database, file),
    commit: transaction.commit,
    rollback: transaction.rollback,
    /** The words of contents, if they are in the index. */
    words,
  }
}

/** Removes an index file and what SQLite keeps beside it. */
export function removeIndexFile(file: string): void {
  for (const ending of ['', '-wal', '-shm', '-journal']) rmSync(`${file}${ending}`, { force: true })
}

function prepareSchema(database: DatabaseSync, contents: string | undefined): void {
  database.exec(
    // What was removed must not be left in free pages. A killed process loses nothing with `normal`.
    'pragma journal_mode = wal; pragma synchronous = normal; pragma secure_delete = on; pragma cache_size = -8192; ' +
      'pragma temp_store = memory; pragma wal_autocheckpoint = 2000',
  )
  const version = Number(database.prepare('pragma user_version').get()?.['user_version'])
  if (version !== 0 && version !== schemaVersion) throw new Error('the index was written by another release')
  if (version === 0) {
    database.exec(`begin;
      create table meta (key text primary key, value text not null) without rowid;
      create table folders (id integer primary key, parent integer, path text not null unique, seen_ms real, problem text);
      create index folders_parent on folders (parent);
      create index folders_seen on folders ((seen_ms is null) desc, seen_ms desc);
      create index folders_problem on folders (problem) where problem is not null;
      create table files (id integer primary key, folder integer not null, name text not null, raw blob, kind text not null,
        size integer, modified_ms real, read_size integer, read_ms real, segments integer not null default 0, outcome text);
      create index files_folder on files (folder);
      create index files_unknown on files (id) where size is null;
      create virtual table names using fts5 (name, tokenize = 'trigram case_sensitive 1', content = '', detail = none,
        contentless_delete = 1);
      pragma user_version = ${schemaVersion};
      commit`)
  }
  const readMeta = database.prepare('select value from meta where key = ?')
  const known = readMeta.get('contents')?.['value']
  // A new file is the way that surely leaves no word behind.
  if (known !== undefined && known !== contents)
    throw new Error('the index was built with another setting for contents')
  const isClean = readMeta.get('clean') !== undefined
  if (!isClean && database.prepare('pragma quick_check(1)').get()?.['quick_check'] !== 'ok')
    throw new Error('the index is damaged')
  database.exec("delete from meta where key = 'clean'")
  if (known !== undefined || contents === undefined) return
  database.exec(`begin; ${contentsSchema}`)
  database.prepare("insert into meta (key, value) values ('contents', ?)").run(contents)
  database.exec('commit')
}

/** Rows of one transaction: a commit for each folder would make a segment of the word index for each. */
const rowsATransaction = 4000
/** Rows that are written before the event loop gets a turn, if it is time for one. */
const rowsATurn = 256

function prepareLooks(database: DatabaseSync) {
  return {
    findFolder: database.prepare('select id, path, seen_ms as seenMs, problem from folders where path = ?'),
    folderById: database.prepare('select id, path, seen_ms as seenMs, problem from folders where id = ?'),
    listChildren: database.prepare(
      'select id, path, seen_ms as seenMs, problem from folders where parent = ?',
    ),
    listTops: database.prepare(
      'select id, path, seen_ms as seenMs, problem from folders where parent is null',
    ),
    upsertFolder: database.prepare(
      'insert into folders (parent, path) values (?, ?) on conflict (path) do update set parent = excluded.parent returning id',
    ),
    setSeen: database.prepare('update folders set seen_ms = ?, problem = ? where id = ?'),
    detach: database.prepare(`update folders set parent = ${detached}, seen_ms = null where id = ?`),
    listFiles: database.prepare(
      'select id, name, raw, size, modified_ms as modifiedMs from files where folder = ?',
    ),
    insertFile: database.prepare(
      'insert into files (folder, name, raw, kind, size, modified_ms) values (?, ?, ?, ?, ?, ?)',
    ),
    setFacts: database.prepare('update files set size = ?, modified_ms = ? where id = ?'),
    insertName: database.prepare('insert into names (rowid, name) values (?, ?)'),
    deleteFile: database.prepare('delete from files where id = ?'),
    deleteName: database.prepare('delete from names where rowid = ?'),
    forgetFacts: database.prepare('update files set size = null where folder = ? and name = ?'),
    nextDetached: database.prepare(`select id from folders where parent = ${detached} limit 1`),
    detachChildren: database.prepare(`update folders set parent = ${detached} where parent = ?`),
    someFiles: database.prepare('select id from files where folder = ? limit 1000'),
    deleteFolder: database.prepare('delete from folders where id = ?'),
    recentFolders: database.prepare(
      // null comes first: what changed too lately to be sure
      `select path from folders where parent is not ${detached} order by seen_ms is null desc, seen_ms desc limit ?`,
    ),
  }
}

/** The transaction that is open, and how much was written in it. */
function createTransaction(database: DatabaseSync) {
  let open = 0
  return {
    /** Opens one, unless it is open; counts a row. */
    begin(): void {
      if (open === 0) database.exec('begin immediate')
      open += 1
    },
    /** Whether it has as many rows as one should have. */
    isFull: () => open > rowsATransaction,
    commit(): void {
      if (open > 0) database.exec('commit')
      open = 0
    },
    rollback(): void {
      if (open > 0 && database.isOpen) database.exec('rollback')
      open = 0
    },
  }
}

function lookStatements(
  database: DatabaseSync,
  { begin, commit, isFull }: ReturnType<typeof createTransaction>,
  removeTexts: (id: number) => void = () => {},
) {
  const statements = prepareLooks(database)

  const removeFile = (id: number): void => {
    begin()
    removeTexts(id)
    statements.deleteFile.run(id)
    statements.deleteName.run(id)
  }
  const putFile = (folder: number, file: FileInFolder, known: (KnownFile & FileFacts) | undefined): void => {
    const { name, raw, size, modifiedMs } = file
    if (known && known.size === size && known.modifiedMs === modifiedMs) return
    begin()
    if (known) return void statements.setFacts.run(size, modifiedMs, known.id)
    const kind = fileKindOf(name)
    const { lastInsertRowid } = statements.insertFile.run(folder, name, raw, kind, size, modifiedMs)
    statements.insertName.run(lastInsertRowid, foldName(name))
  }
  return {
    find: (folder: string) => statements.findFolder.get(folder) as unknown as KnownFolder | undefined,
    byId: (id: number) => statements.folderById.get(id) as unknown as KnownFolder | undefined,
    children: (id: number) => statements.listChildren.all(id) as unknown as KnownFolder[],
    tops: () => statements.listTops.all() as unknown as KnownFolder[],
    /** Paths of the folders that changed last. */
    recent: (limit: number) => statements.recentFolders.all(limit).map((row) => String(row['path'])),
    addTop(folder: string): KnownFolder {
      begin()
      const row = statements.upsertFolder.get(null, folder)
      return statements.folderById.get(Number(row?.['id'])) as unknown as KnownFolder
    },
    detach(id: number): void {
      begin()
      statements.detach.run(id)
    },
    /** Has the size and time of a file read again. */
    forgetFacts(folder: number, name: string): void {
      begin()
      statements.forgetFacts.run(folder, name)
    },
    /** Notes that a folder could not be listed. Its entries stay until it can, and are checked on the disk. */
    setProblem(id: number, problem: string): void {
      begin()
      statements.setSeen.run(null, problem, id)
    },
    /** Writes down what a folder holds, with rests in between, and gives the folders in it. */
    async apply(
      { id, path: at }: KnownFolder,
      seenMs: number | null,
      content: FolderContent,
      turns: { rest(): Promise<void> | undefined },
    ): Promise<KnownFolder[]> {
      begin()
      const rows = statements.listFiles.all(id) as unknown as (KnownFile & FileFacts)[]
      const gone = new Map(rows.map((file) => [keyOf(file), file] as const))
      let seen = 0
      for (const file of content.files) {
        // Others may end the transaction meanwhile: the folder is listed again unless its time was written.
        if (++seen % rowsATurn === 0) await turns.rest()
        putFile(id, file, takeOut(gone, keyOf(file)))
      }
      for (const { id: file } of gone.values()) removeFile(file)
      begin()
      const paths = new Set(content.folders.map((name) => path.join(at, name)))
      const children = statements.listChildren.all(id) as unknown as KnownFolder[]
      for (const child of children) if (!paths.delete(child.path)) statements.detach.run(child.id)
      for (const inner of paths) {
        begin()
        statements.upsertFolder.run(id, inner)
      }
      statements.setSeen.run(seenMs, null, id)
      const inside = statements.listChildren.all(id) as unknown as KnownFolder[]
      if (isFull()) commit()
      return inside
    },
    /** Removes a part of what is detached. @returns whether there may be more. */
    purge(): boolean {
      const row = statements.nextDetached.get()
      if (row === undefined) return false
      begin()
      const id = Number(row['id'])
      const files = statements.someFiles.all(id)
      for (const file of files) removeFile(Number(file['id']))
      statements.detachChildren.run(id)
      if (files.length < 1000) statements.deleteFolder.run(id)
      commit()
      return true
    },
  }
}

function takeOut<Value>(map: Map<string, Value>, key: string): Value | undefined {
  const value = map.get(key)
  if (value !== undefined) map.delete(key)
  return value
}

/** The key that tells the files of a folder apart: bytes where the name is not text. */
const keyOf = ({ name, raw }: Pick<KnownFile, 'name' | 'raw'>): string =>
  raw === null ? name : `\0${Buffer.from(raw).toString('latin1')}`

function factStatements(database: DatabaseSync) {
  const columns = 'files.id, files.name, files.raw, folders.path as folder'
  const unknown = database.prepare(
    `select ${columns} from files indexed by files_unknown join folders on folders.id = files.folder
     where files.size is null and files.id > ? order by files.id limit ?`,
  )
  const inOrder = database.prepare(
    `select ${columns} from files join folders on folders.id = files.folder where files.id > ? order by files.id limit ?`,
  )
  const setFacts = database.prepare(
    'update files set size = ?, modified_ms = ? where id = ? and (size is not ? or modified_ms is not ?)',
  )
  return {
    /** Files without size and time, in the order of their ids. */
    unknownAfter: (id: number, limit: number) => unknown.all(id, limit) as unknown as UnknownFile[],
    filesAfter: (id: number, limit: number) => inOrder.all(id, limit) as unknown as UnknownFile[],
    /** Writes down sizes and times, in a transaction. */
    setFacts(facts: readonly FileFacts[]): void {
      database.exec('begin immediate')
      for (const { id, size, modifiedMs } of facts) setFacts.run(size, modifiedMs, id, size, modifiedMs)
      database.exec('commit')
    },
  }
}

function fileState(database: DatabaseSync, file: string) {
  const readMeta = database.prepare('select value from meta where key = ?')
  const writeMeta = database.prepare('insert or replace into meta (key, value) values (?, ?)')
  const countFiles = database.prepare('select count(*) as count from files')
  return {
    file,
    /** When the last whole look began; undefined before the first. */
    asOf: (): string | undefined => readMeta.get('as_of')?.['value'] as string | undefined,
    setAsOf: (at: string): void => void writeMeta.run('as_of', at),
    countFiles: () => Number(countFiles.get()?.['count']),
    bytes: () => sizeOf(file) + sizeOf(`${file}-wal`),
    /** Moves everything into the file itself, and overwrites what was removed. */
    checkpoint: (): void => database.exec('pragma wal_checkpoint(truncate)'),
    close(): void {
      if (!database.isOpen) return
      if (database.isTransaction) database.exec('rollback')
      writeMeta.run('clean', '1')
      database.close()
    },
  }
}

const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0

/** Whether an error says that the file is not a readable index. */
export function isDamage(error: unknown): boolean {
  const code = error instanceof Error && 'errcode' in error ? Number(error.errcode) & 0xff : undefined
  // SQLITE_CORRUPT and SQLITE_NOTADB
  return code === 11 || code === 26 || isOurs(error)
}

/** Whether an error says in words for people why a file is not opened. */
export const isOurs = (error: unknown): error is Error =>
  error instanceof Error && /^the index (?:is|was)/.test(error.message)
