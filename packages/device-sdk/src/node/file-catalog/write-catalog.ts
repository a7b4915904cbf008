import { type CatalogHead, catalogLimits, type FoundFile } from '@homeward/contract/device-cloud'
import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { once } from 'node:events'
import { finished, pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'

/** Rows of a catalog, in a file without a first line. */
interface WrittenRows {
  readonly files: number
  /** The same for the same rows. */
  readonly digest: string
}

/** Room for what the first line and other compression add. */
const maxCompressedBytes = catalogLimits.compressedBytes - 1024 * 1024
const privately = { mode: 0o600 } as const

/**
 * Writes the rows of a catalog to a compressed file. A few rows are in memory at a time. Files above the limits of a catalog
 * are left out.
 *
 * @param each Calls back with some files at a time, and waits for it.
 */
export async function writeRows(
  file: string,
  each: (visit: (files: readonly FoundFile[]) => Promise<void>) => Promise<void>,
): Promise<WrittenRows> {
  const hash = createHash('sha256')
  // It is compressed again if it is sent.
  const gzip = createGzip({ level: 1 })
  const output = createWriteStream(file, privately)
  const writing = pipeline(gzip, output)
  writing.catch(() => {}) // asked for below
  let [files, bytes] = [0, 0]
  const hasRoom = (more: number) =>
    files < catalogLimits.files &&
    bytes + more < catalogLimits.bytes - catalogLimits.lineBytes &&
    output.bytesWritten < maxCompressedBytes
  await each(async (found) => {
    const lines: string[] = []
    for (const { path, name, size, modified } of found) {
      const line = `${JSON.stringify({ path, name, size, modified })}\n`
      const lineBytes = Buffer.byteLength(line)
      if (lineBytes > catalogLimits.lineBytes || !hasRoom(lineBytes)) continue
      lines.push(line)
      files += 1
      bytes += lineBytes
    }
    const text = lines.join('')
    hash.update(text)
    if (!gzip.write(text)) await Promise.race([once(gzip, 'drain'), writing])
  }).finally(() => gzip.end())
  await writing
  return { files, digest: hash.digest('base64url') }
}

/** Writes a catalog: its first line, then the rows of a file of {@link writeRows}, which is removed. */
export async function writeCatalog(file: string, rows: string, head: CatalogHead): Promise<void> {
  const gzip = createGzip()
  const writing = pipeline(gzip, createWriteStream(file, privately))
  gzip.write(`${JSON.stringify(head)}\n`)
  createReadStream(rows).pipe(createGunzip()).pipe(gzip)
  await writing
  await finished(gzip)
  await rm(rows, { force: true })
}
