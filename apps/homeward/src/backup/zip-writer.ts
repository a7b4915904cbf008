import { createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { ZipFile } from 'yazl'

/** A zip file that is being written, for this user alone. */
export interface ZipWriter {
  /** Adds one file, and waits until it has been read. */
  add(name: string, stream: NodeJS.ReadableStream, mode?: number): Promise<void>
  /** Writes the end. */
  close(): Promise<void>
}

/** A file that only its owner may read. */
const privateFile = 0o600
const regularFile = 0o100000

/**
 * Starts a zip file. Its calls reject once the disk is full or the file cannot be written.
 *
 * @param path of a file that does not exist
 */
export function createZipWriter(path: string): ZipWriter {
  const zip = new ZipFile()
  const written = pipeline(zip.outputStream, createWriteStream(path, { mode: privateFile, flags: 'wx' }))
  written.catch(() => {}) // each call tells
  return {
    async add(name, stream, mode = privateFile) {
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      stream.once('end', resolve).once('error', reject)
      zip.addReadStream(stream, name, { mode: regularFile | mode })
      await Promise.race([promise, written.then(() => promise)])
    },
    async close() {
      zip.end()
      await written
    },
  }
}
