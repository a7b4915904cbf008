import type { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { crc32 } from 'node:zlib'
import { type Entry, open, type ZipFile } from 'yauzl'

/** One file of a backup. */
interface ZipEntry {
  readonly name: string
  /** Rights, as `chmod` takes them. */
  readonly mode: number
  open(): Promise<Readable>
}

/** A zip file that is being read. */
export interface ZipReader {
  readonly entries: ReadonlyMap<string, ZipEntry>
  /**
   * Reads everything once.
   *
   * @returns the name of the first file that is damaged
   */
  findDamage(): Promise<string | undefined>
  close(): void
}

/**
 * Opens a zip file. Names that lead out of it are rejected.
 *
 * @throws {Error} when it is none.
 */
export async function openZipReader(path: string): Promise<ZipReader> {
  const zip = await promisify<string, object, ZipFile>(open)(path, { lazyEntries: true, autoClose: false })
  const entries = new Map<string, ZipEntry>()
  const sums = new Map<string, number>()
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  zip.once('end', resolve).once('error', reject)
  zip.on('entry', (entry: Entry) => {
    if (entry.fileName.endsWith('/')) return zip.readEntry() // a folder: other programs add them
    const mode = (entry.externalFileAttributes >>> 16) & 0o777
    const openEntry = () => promisify<Entry, Readable>(zip.openReadStream.bind(zip))(entry)
    entries.set(entry.fileName, { name: entry.fileName, mode, open: openEntry })
    sums.set(entry.fileName, entry.crc32)
    zip.readEntry()
  })
  zip.readEntry()
  await promise
  return {
    entries,
    async findDamage() {
      for (const entry of entries.values()) {
        const sum = await sumOf(entry).catch(() => undefined)
        if (sum !== sums.get(entry.name)) return entry.name
      }
      return undefined
    },
    close: () => zip.close(),
  }
}

async function sumOf(entry: ZipEntry): Promise<number> {
  let sum = 0
  for await (const chunk of await entry.open()) sum = crc32(chunk as Buffer, sum)
  return sum
}
