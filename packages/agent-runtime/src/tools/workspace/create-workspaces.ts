import { lstatSync, type Stats } from 'node:fs'
// Named import, so that tests that fake the global timers still have each turn begin anew.
import { setImmediate } from 'node:timers'
import { prepareWorkspace } from './prepare-workspace.ts'

interface KnownWorkspace {
  readonly path: string
  readonly folder: Stats
}

/**
 * Gives agents their workspaces: see {@link prepareWorkspace}. One that was made is only looked at again: it has to be
 * the very folder that it was, so a link or another folder in its place, or in place of one above it, is noticed. One
 * look serves all runs of a turn of the event loop: it would be the only system call of a run in memory.
 */
export function createWorkspaces(home: string): (agentId: string) => Promise<string> {
  const known = new Map<string, KnownWorkspace>()
  const seen = new Set<string>()

  const isThere = (agentId: string, { path, folder }: KnownWorkspace): boolean => {
    if (seen.has(agentId)) return true
    if (!isSame(folder, folderAt(path))) return false
    if (seen.size === 0) setImmediate(() => seen.clear())
    seen.add(agentId)
    return true
  }

  return async (agentId) => {
    const before = known.get(agentId)
    if (before && isThere(agentId, before)) return before.path
    const path = await prepareWorkspace(home, agentId)
    const folder = folderAt(path)
    if (folder === undefined) known.delete(agentId)
    else known.set(agentId, { path, folder })
    return path
  }
}

/** Undefined for what is no folder. At once: the way through the thread pool costs ten times the look. */
function folderAt(path: string): Stats | undefined {
  const found = lstatSync(path, { throwIfNoEntry: false })
  return found?.isDirectory() ? found : undefined
}

function isSame(one: Stats, other: Stats | undefined): boolean {
  return one.ino === other?.ino && one.dev === other.dev && one.birthtimeMs === other.birthtimeMs
}
