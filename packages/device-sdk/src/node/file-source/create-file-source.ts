import type { FileHandle } from 'node:fs/promises'
import path from 'node:path'
import { checkNumbers } from '../../check-numbers.ts'
import { DeviceCloudError } from '../../device-cloud-error.ts'
import type { FileSource } from '../../ports/file-source.ts'
import { providerDisk } from '../disk/lanes.ts'
import { assertRoots } from '../roots/resolve-roots.ts'
import { checkPath } from './check-path.ts'
import { denied, openAllowed } from './open-allowed.ts'
import { createRangeReader } from './read-range.ts'
import { streamFile } from './stream-file.ts'

/** Options of {@link createFileSource}. */
export interface FileSourceOptions {
  /** Absolute paths of the folders whose files may be uploaded. A root may be a link. */
  readonly roots: readonly string[]
  /** Largest file, in bytes; the caller's own limit counts too. @default no limit of its own */
  readonly maxBytes?: number
}

/**
 * Opens files for uploads, from under allowed folders only.
 *
 * The path must be absolute and local, and what it names after all links are resolved must be a regular file under a
 * root. The content is streamed from the one descriptor that was checked, in constant memory; a file that
 * changes its length meanwhile ends in an error, never in a short upload. So does one whose disk does not respond within 10
 * seconds.
 *
 * @throws {DeviceCloudError} `INVALID_OPTION` when a root is not an absolute path, or `maxBytes` no number.
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
        const { size } = await providerDisk.run({ at: filePath, work: () => handle.stat() }, signal)
        const limit = Math.min(maxBytes, callMaxBytes)
        if (size > limit) throw tooLarge(filePath, size, limit)
        const name = path.basename(filePath)
        const file = { handle, filePath, size, name, signal, close }
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
