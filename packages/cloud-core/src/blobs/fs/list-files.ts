import { opendir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { toBlobError } from './blob-error.ts'

/** What the name of a stored file starts with; its id follows. */
export const namePrefix = 'b_'

/** Ids of the stored files under `folder` that were written before a time. */
export async function* listFiles(
  folder: string,
  beforeMs: number,
  signal: AbortSignal,
): AsyncGenerator<string> {
  try {
    for await (const entry of await opendir(folder, { recursive: true })) {
      signal.throwIfAborted()
      if (!entry.isFile() || !entry.name.startsWith(namePrefix)) continue
      // It may be removed meanwhile.
      const found = await stat(join(entry.parentPath, entry.name)).catch(() => undefined)
      if (found && found.mtimeMs < beforeMs) yield entry.name.slice(namePrefix.length)
    }
  } catch (error) {
    throw toBlobError(error, 'Listing files')
  }
}
