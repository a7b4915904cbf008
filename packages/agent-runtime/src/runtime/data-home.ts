import { randomUUID } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { RuntimeError } from '../ports/runtime-error.ts'

/** The data home of a runtime. */
export interface DataHome {
  /** Absolute path; the folder may not be there yet. */
  readonly path: string
  /** Makes the folder, for this user alone. @throws {RuntimeError} `storage_error` */
  prepare(): void
  /** Removes it when it was a temporary one. */
  close(): Promise<void>
}

/** Names a data home; without a folder a temporary one, of a name that nobody can guess. */
export function createDataHome(folder: string | undefined): DataHome {
  const path = folder === undefined ? join(tmpdir(), `homeward-${randomUUID()}`) : resolve(folder)
  return {
    path,
    prepare() {
      try {
        mkdirSync(path, { recursive: true, mode: 0o700 })
      } catch (cause) {
        throw new RuntimeError(
          'storage_error',
          'Opening the data home failed: the folder cannot be created. Check the path and its permissions.',
          {
            cause,
          },
        )
      }
    },
    async close() {
      if (folder === undefined) await rm(path, { recursive: true, force: true })
    },
  }
}
