import type { FileHandle } from 'node:fs/promises'
import path from 'node:path'
import { checkNumbers } from '../../check-numbers.ts'
import { DeviceCloudError } from '../../device-cloud-error.ts'
import type { FileSource } from '../../ports/file-source.ts'
import { providerDisk } from '../disk/lanes.ts'
import { assertRoots } from '../roots/resolve-roots.ts'
import { denied, openAllowed } from './open-allowed.ts'
import { assertUnwritten, streamFile, changed, onDisk, type StreamedFile } from './stream-file.ts'

/** Options of {@link createFileSource}. */
export interface FileSourceOptions {
  /** Absolute paths of the folders whose files may be uploaded. A root may be a symbolic link. */
  readonly roots: readonly string[]
  /** Maximum file size in bytes. A lower limit of the caller applies. @default no own limit */
  readonly maxBytes?: number
}

/**
 * Creates a source that opens files for uploads, only from allowed folders.
 *
 * The path must be absolute and local. After all links are resolved, it must be a regular file below a root. The
 * content is streamed in constant memory from the file descriptor that was checked. If the file changes during the
 * upload, the upload fails, and is never short or mixed. It also fails if the disk does not respond within 10
 * seconds.
 *
 * @throws {DeviceCloudError} `INVALID_OPTION` if a root is not an absolute path, or `maxBytes` is not a number.
 * @example
 * const source = createFileSource({ roots: ['/home/ada/Documents'], maxBytes: 100 * 1024 * 1024 })
 */
export function createFileSource(options: FileSourceOptions): FileSource {
  assertRoots(options?.roots)
  const { roots, maxBytes = Infinity } = options
  checkNumbers('Opening folders for uploads', { maxBytes })
  return {
    async open(filePath, { maxBytes: callMaxBytes, signal }) {
      signal.throwIfAborted()
      const reason = checkPath(filePath)
      if (reason !== undefined) throw denied(filePath, reason)
      const handle = await openAllowed(filePath, roots, signal)
      let closed: Promise<void> | undefined
      const close = (): Promise<void> => (closed ??= closeFile(filePath, handle))
      try {
        const { size, mtimeMs } = await providerDisk.run({ at: filePath, work: () => handle.stat() }, signal)
        const limit = Math.min(maxBytes, callMaxBytes)
        if (size > limit) throw tooLarge(filePath, size, limit)
        const name = path.basename(filePath)
        const file = { handle, filePath, size, modifiedMs: mtimeMs, name, signal, close }
        return { fileName: name, size, content: streamFile(file), read: createRangeReader(file), close }
      } catch (error) {
        await close()
        throw error
      }
    },
  }
}

/** Releases the file as soon as its disk allows; nobody waits longer for it than for any other call. */
async function closeFile(filePath: string, handle: FileHandle): Promise<void> {
  await providerDisk.run({ at: filePath, work: () => handle.close(), mustRun: true }).catch(() => {})
}

function tooLarge(filePath: string, size: number, limit: number): DeviceCloudError {
  const what = `Opening ${JSON.stringify(filePath)} failed: the file must have at most ${limit} bytes, got ${size}.`
  return new DeviceCloudError('FILE_UNAVAILABLE', what)
}

/**
 * Reads pieces of an open file, in any order and as often as asked, from the one descriptor that was checked. A file that
 * is no longer as long as it was ends in `FILE_UNAVAILABLE`.
 */
function createRangeReader(file: StreamedFile): (start: number, end: number) => Promise<Uint8Array> {
  const { size, name, signal } = file
  return async (start, end) => {
    signal.throwIfAborted()
    const found = await onDisk(file, (handle) => handle.stat())
    if (found.size !== size) throw changed(name, found.size < size ? 'it became shorter' : 'it became longer')
    assertUnwritten(file, found)
    const bytes = new Uint8Array(end - start)
    for (let got = 0; got < bytes.length;) {
      const { bytesRead } = await onDisk(file, (handle) =>
        handle.read(bytes, got, bytes.length - got, start + got),
      )
      if (bytesRead === 0) throw changed(name, 'it became shorter')
      got += bytesRead
    }
    return bytes
  }
}

/**
 * Says why a path's form rules it out, before anything on the disk is touched; `undefined` when it does not.
 *
 * Absolute local paths only: no `..`, no NUL, no `file:` URL, on Windows no network share, device path,
 * drive-relative path or alternate data stream.
 */
export function checkPath(
  filePath: string,
  platform: NodeJS.Platform = process.platform,
): string | undefined {
  if (filePath === '') return 'the path is empty'
  if (filePath.includes('\0')) return 'the path contains a NUL character'
  if (/^[a-z][a-z0-9+.-]+:/i.test(filePath)) return 'the path is a URL'
  if (filePath.split(platform === 'win32' ? /[\\/]/ : '/').includes('..')) return 'the path contains ".."'
  return platform === 'win32' ? checkWindowsPath(filePath) : checkPosixPath(filePath)
}

function checkPosixPath(filePath: string): string | undefined {
  return path.posix.isAbsolute(filePath) ? undefined : 'the path is not absolute'
}

function checkWindowsPath(filePath: string): string | undefined {
  if (/^[\\/]{2}/.test(filePath)) return 'the path names a network share or a device'
  if (!/^[a-z]:[\\/]/i.test(filePath)) return 'the path is not absolute'
  if (filePath.indexOf(':', 2) !== -1) return 'the path names an alternate data stream'
  return undefined
}
