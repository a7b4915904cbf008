import { type FSWatcher, watch } from 'node:fs'
import path from 'node:path'

/** What happened below a watched folder. */
export interface FolderChange {
  readonly folder: string
  /** The file whose content changed; undefined if the list of the folder did. */
  readonly changed: string | undefined
}

/** Watches some folders. */
export interface FolderWatchers {
  /** Watches these folders, and no others. Those that cannot be watched are left to the next look. */
  watch(folders: readonly string[]): void
  /** Watches one more, if there are not too many. */
  add(folder: string): void
  close(): void
}

/** Whether the system does it, as macOS and Windows do: a watched folder includes all that is below it. */
export const watchesTrees: boolean = process.platform === 'darwin' || process.platform === 'win32'

/** Builds the watchers. `onChange` must not throw. */
export function createFolderWatchers(
  maxWatches: number,
  onChange: (change: FolderChange) => void,
): FolderWatchers {
  const watchers = new Map<string, FSWatcher>()

  function open(folder: string): boolean {
    try {
      const watcher = watch(folder, { persistent: false, recursive: watchesTrees }, (event, name) => {
        const at = path.join(folder, name ?? '.')
        if (name === null) return onChange({ folder, changed: undefined })
        onChange({ folder: path.dirname(at), changed: event === 'change' ? path.basename(at) : undefined })
      })
      watcher.on('error', () => {
        watchers.get(folder)?.close()
        watchers.delete(folder)
      })
      watchers.set(folder, watcher)
      return true
    } catch (error) {
      // Linux has no more watches to give: further ones would fail too
      return !(error instanceof Error && 'code' in error && error.code === 'ENOSPC')
    }
  }
  return {
    watch(folders) {
      const wanted = new Set(folders)
      for (const [folder, watcher] of watchers) {
        if (wanted.has(folder)) continue
        watcher.close()
        watchers.delete(folder)
      }
      for (const folder of folders) if (!watchers.has(folder) && !open(folder)) break
    },
    add(folder) {
      if (!watchesTrees && watchers.size < maxWatches && !watchers.has(folder)) open(folder)
    },
    close() {
      for (const watcher of watchers.values()) watcher.close()
      watchers.clear()
    },
  }
}
