import { positiveNumber } from '@homeward/kit'
import { isUtf8 } from 'node:buffer'
import type { Readable } from 'node:stream'
import { crc32 } from 'node:zlib'
import { type Entry, fromBufferPromise, getFileNameLowLevel, type ZipFile } from 'yauzl'
import { checkOptions } from '../check-options.ts'
import { SkillStoreError } from '../skill-store-error.ts'
import { collisionKey, refusedEntryName } from './entry-name.ts'

/** A file of a skill. `path` is relative, with `/` between its segments. */
export interface SkillFile {
  readonly path: string
  readonly bytes: Uint8Array
  /** Whether the archive marks the file as executable. */
  readonly executable?: boolean
}

/** Limits of an archive. */
export interface ArchiveLimits {
  /** Maximum number of entries, including folders. @default 2000 */
  readonly maxEntries?: number
  /** Maximum size of all unpacked files together, in bytes. @default 50 MiB */
  readonly maxInflatedBytes?: number
}

const defaultMaxEntries = 2000
const defaultMaxInflatedBytes = 50 * 1024 * 1024

/**
 * Unpacks a zip archive into memory.
 *
 * Declared values are not trusted: sizes are counted during decompression, checksums are compared, and undeclared
 * entries are rejected.
 *
 * @throws {SkillStoreError} `INVALID_ARCHIVE`, with the name of the entry, for paths outside the folder, links, names
 * that collide on some file system, encrypted or damaged entries, and entries above the limits; `INVALID_OPTION` if a
 * limit is not a number.
 */
export async function unpackZip(archive: Uint8Array, limits: ArchiveLimits = {}): Promise<SkillFile[]> {
  const { maxEntries = defaultMaxEntries, maxInflatedBytes = defaultMaxInflatedBytes } = limits
  const limit = positiveNumber()
  checkOptions(
    'Unpacking the archive',
    { maxEntries, maxInflatedBytes },
    { maxEntries: limit, maxInflatedBytes: limit },
  )
  const zip = await open(archive)
  try {
    if (zip.entryCount > maxEntries) throw refuse(`it has ${zip.entryCount} entries, more than ${maxEntries}`)
    const files = await readEntries(zip, maxInflatedBytes)
    refuseMoreEntries(zip, archive)
    return files
  } catch (error) {
    if (SkillStoreError.is(error)) throw error
    throw refuse(error instanceof Error ? error.message : 'it cannot be read', error)
  } finally {
    zip.close()
  }
}

async function open(archive: Uint8Array): Promise<ZipFile> {
  try {
    return await fromBufferPromise(Buffer.from(archive.buffer, archive.byteOffset, archive.byteLength), {
      lazyEntries: true,
      decodeStrings: false, // names are read below
      validateEntrySizes: true,
      autoClose: false,
    })
  } catch (error) {
    throw refuse('it is not a zip archive, or it is incomplete', error)
  }
}

async function readEntries(zip: ZipFile, maxBytes: number): Promise<SkillFile[]> {
  const files: SkillFile[] = []
  const seen = new Map<string, 'file' | 'folder'>()
  let left = maxBytes
  // never more of them than the count that was checked
  for await (const entry of zip.eachEntry()) {
    entry.fileName = nameOf(entry)
    checkEntry(entry, seen)
    if (entry.fileName.endsWith('/')) continue
    if (entry.uncompressedSize > left) throw tooLarge(entry, maxBytes)
    const bytes = await inflate(await zip.openReadStreamPromise(entry), entry, left, maxBytes)
    left -= bytes.length
    files.push({ path: entry.fileName, bytes, ...(isExecutable(entry) && { executable: true }) })
  }
  return files
}

/** A name of UTF-8 counts as such also without its flag, which many archivers forget. */
function nameOf(entry: Entry): string {
  const { fileNameRaw: raw, extraFields, generalPurposeBitFlag, versionMadeBy } = entry
  const isPlain = isUtf8(raw) && !extraFields.some(({ id }) => id === unicodePathField)
  const name = isPlain ? raw.toString() : getFileNameLowLevel(generalPurposeBitFlag, raw, extraFields, true)
  // archivers of .NET 4 write folders as Windows does
  return windowsHosts.has(versionMadeBy >>> 8) ? name.replaceAll('\\', '/') : name
}

const unicodePathField = 0x7075
/** FAT, HPFS, NTFS and VFAT, as the directory of an archive names them. */
const windowsHosts: ReadonlySet<number> = new Set([0, 6, 10, 14])

const entryMark = Buffer.from([0x50, 0x4b, 0x01, 0x02])

/** What is behind the last one that is counted: others would unpack files that were never looked at. */
function refuseMoreEntries({ entryCount, readEntryCursor }: ZipFile, archive: Uint8Array): void {
  const end = Number(readEntryCursor) // a place in the archive, whatever its types say
  if (entryMark.equals(archive.subarray(end, end + entryMark.length)))
    throw refuse(`it declares ${entryCount} entries, but contains more`)
}

function checkEntry(entry: Entry, seen: Map<string, 'file' | 'folder'>): void {
  const reason = refusedEntryName(entry.fileName) ?? refusedKind(entry)
  if (reason !== undefined) throw refuse(`the entry ${quote(entry.fileName)} is invalid: ${reason}`)
  const isFolder = entry.fileName.endsWith('/')
  const key = collisionKey(entry.fileName)
  const before = seen.get(key)
  if (before !== undefined && !(isFolder && before === 'folder')) {
    throw refuse(
      `the entry ${quote(entry.fileName)} is invalid: another entry has the same name on some systems`,
    )
  }
  for (let at = key.lastIndexOf('/'); at > 0; at = key.lastIndexOf('/', at - 1)) {
    const parent = key.slice(0, at)
    if (seen.get(parent) === 'file') {
      throw refuse(
        `the entry ${quote(entry.fileName)} is invalid: the archive has a file with the name of its folder`,
      )
    }
    seen.set(parent, 'folder')
  }
  seen.set(key, isFolder ? 'folder' : 'file')
}

const fileTypeMask = 0o170_000
const regularFile = 0o100_000
const folder = 0o040_000

function refusedKind(entry: Entry): string | undefined {
  if (entry.isEncrypted()) return 'it is encrypted'
  const type = (entry.externalFileAttributes >>> 16) & fileTypeMask
  if (type === 0 || type === regularFile || type === folder) return undefined
  return type === 0o120_000 ? 'it is a link' : 'it is neither a file nor a folder'
}

const isExecutable = (entry: Entry) => ((entry.externalFileAttributes >>> 16) & 0o100) !== 0

async function inflate(stream: Readable, entry: Entry, left: number, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of stream as AsyncIterable<Uint8Array>) {
    size += chunk.length
    if (size > left) throw tooLarge(entry, maxBytes)
    chunks.push(chunk)
  }
  const bytes = Buffer.concat(chunks, size)
  if (crc32(bytes) !== entry.crc32)
    throw refuse(`the entry ${quote(entry.fileName)} is damaged: its checksum differs`)
  return bytes
}

const quote = (name: string) => JSON.stringify(name.slice(0, 200))

function tooLarge(entry: Entry, maxBytes: number): SkillStoreError {
  return refuse(`with ${quote(entry.fileName)} it unpacks to more than ${maxBytes} bytes`)
}

function refuse(reason: string, cause?: unknown): SkillStoreError {
  return new SkillStoreError('INVALID_ARCHIVE', `Unpacking the archive failed: ${reason}.`, {
    ...(cause !== undefined && { cause }),
  })
}
