import { RuntimeError } from '../ports/runtime-error.ts'
import type { FileStore, StoredFile } from '../store/ports/file-store.ts'

/** Stored files: files of requests, and files that runs created. */
export interface Files {
  /** Returns a file with its bytes. @throws {RuntimeError} `not_found` if the file does not exist. */
  get(id: string, signal?: AbortSignal): Promise<StoredFile>
}

/** Builds {@link Files} over a store. */
export function createFiles(store: Pick<FileStore, 'findFile'>): Files {
  return {
    async get(id, signal) {
      const file = await store.findFile(id, signal)
      if (file) return file
      throw new RuntimeError(
        'not_found',
        'Getting a file failed: no file has this id. It may have been deleted.',
      )
    },
  }
}
