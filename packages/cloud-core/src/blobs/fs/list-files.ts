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
    // Level by level: not every runtime knows `recursive`.
    for await (const group of await opendir(folder)) {
      if (!group.isDirectory()) continue
      for await (const entry of await opendir(join(folder, group.name))) {
        signal.throwIfAborted()
        if (!entry.isFile() || !entry.name.startsWith(namePrefix)) continue
        // It may be removed meanwhile.
        const found = await stat(join(folder, group.name, entry.name)).catch(() => undefined)
        if (found && found.mtimeMs < beforeMs) yield entry.name.slice(namePrefix.length)
      }
    }
  } catch (error) {
    throw toBlobError(error, 'Listing files')
  }
}
