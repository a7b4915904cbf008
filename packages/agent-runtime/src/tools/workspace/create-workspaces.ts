import type { Stats } from 'node:fs'
import { lstat } from 'node:fs/promises'
import { prepareWorkspace } from './prepare-workspace.ts'

interface KnownWorkspace {
  readonly path: string
  readonly folder: Stats
}

/**
 * Gives agents their workspaces: see {@link prepareWorkspace}. One that was made is only looked at again: it has to be
 * the very folder that it was, so a link or another folder in its place, or in place of one above it, is noticed.
 */
export function createWorkspaces(home: string): (agentId: string) => Promise<string> {
  const known = new Map<string, KnownWorkspace>()

  return async (agentId) => {
    const before = known.get(agentId)
    if (before && isSame(before.folder, await folderAt(before.path))) return before.path
    const path = await prepareWorkspace(home, agentId)
    const folder = await folderAt(path)
    if (folder === undefined) known.delete(agentId)
    else known.set(agentId, { path, folder })
    return path
  }
}

/** Undefined for what is no folder, or cannot be looked at. */
async function folderAt(path: string): Promise<Stats | undefined> {
  const found = await lstat(path).catch(() => undefined)
  return found?.isDirectory() ? found : undefined
}

function isSame(one: Stats, other: Stats | undefined): boolean {
  return one.ino === other?.ino && one.dev === other.dev && one.birthtimeMs === other.birthtimeMs
}
