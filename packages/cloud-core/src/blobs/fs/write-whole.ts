import type { FileHandle } from 'node:fs/promises'
import { mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { toBlobError } from './blob-error.ts'

/** A file to write. */
interface WholeFile {
  /** Name while it is incomplete, on the same file system. */
  readonly staging: string
  readonly path: string
  readonly content: AsyncIterable<Uint8Array>
}

/**
 * Writes a file whole or not at all; when it resolves, the file is on the disk.
 *
 * @returns its size in bytes
 */
export async function writeWhole(
  { staging, path, content }: WholeFile,
  signal: AbortSignal,
): Promise<number> {
  try {
    const size = await writeStaging(staging, content, signal)
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    signal.throwIfAborted()
    await rename(staging, path)
    await syncFolder(dirname(path))
    return size
  } catch (error) {
    await rm(staging, { force: true }).catch(() => {
      // The failure that led here matters more; the leftover goes with the next clean-up.
    })
    throw toBlobError(error, 'Storing a file')
  }
}

async function writeStaging(
  path: string,
  content: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): Promise<number> {
  const file = await open(path, 'wx', 0o600)
  try {
    let size = 0
    for await (const chunk of content) {
      signal.throwIfAborted()
      await writeChunk(file, chunk)
      size += chunk.length
    }
    signal.throwIfAborted()
    await file.sync()
    return size
  } finally {
    await file.close()
  }
}

async function writeChunk(file: FileHandle, chunk: Uint8Array): Promise<void> {
  let written = 0
  while (written < chunk.length) {
    const { bytesWritten } = await file.write(chunk, written, chunk.length - written)
    written += bytesWritten
  }
}

/** Puts the new name on the disk too. Not every system can; the file itself is safe then. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r').catch(() => undefined)
  if (folder === undefined) return
  try {
    await folder.sync().catch(() => undefined)
  } finally {
    await folder.close()
  }
}
