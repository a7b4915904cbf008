import path from 'node:path'
import { checkNumbers } from '../../check-numbers.ts'
import { DeviceCloudError } from '../../device-cloud-error.ts'
import type { FileSource } from '../../ports/file-source.ts'
import { assertRoots } from '../roots/resolve-roots.ts'
import { checkPath } from './check-path.ts'
import { denied, openAllowed } from './open-allowed.ts'
import { createRangeReader } from './read-range.ts'
import { streamFile } from './stream-file.ts'

/** What {@link createFileSource} needs to know. */
export interface FileSourceOptions {
  /** Absolute paths of the folders whose files may be uploaded. A root may be a link. */
  readonly roots: readonly string[]
  /** Largest file, in bytes; the caller's own limit counts too. @default no limit of its own */
  readonly maxBytes?: number
}

/**
 * Opens files for uploads, from under allowed folders only.
 *
 * The path must be absolute and local, and what it names after all links are resolved must be a plain file under a
 * root. The content is streamed from the one descriptor that was checked, in constant memory; a file that
 * changes its length meanwhile ends in an error, never in a short upload.
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
      const handle = await openAllowed(filePath, roots)
      let closed: Promise<void> | undefined
      const close = (): Promise<void> => (closed ??= handle.close())
      try {
        signal.throwIfAborted()
        const { size } = await handle.stat()
        const limit = Math.min(maxBytes, callMaxBytes)
        if (size > limit) throw tooLarge(filePath, size, limit)
        const name = path.basename(filePath)
        const file = { handle, size, name, signal, close }
        return { fileName: name, size, content: streamFile(file), read: createRangeReader(file), close }
      } catch (error) {
        await close()
        throw error
      }
    },
  }
}

function tooLarge(filePath: string, size: number, limit: number): DeviceCloudError {
  const what = `Opening ${JSON.stringify(filePath)} failed: it has ${size} bytes, more than the ${limit} that are allowed.`
  return new DeviceCloudError('FILE_UNAVAILABLE', what)
}
