import { lstatSync } from 'node:fs'
import { prepareWorkspace } from './prepare-workspace.ts'

interface KnownWorkspace {
  readonly path: string
  readonly identity: string
}

/**
 * Gives agents their workspaces: see {@link prepareWorkspace}. One that was made is only looked at again: it has to be
 * the very folder that it was, so a link or another folder in its place, or in place of one above it, is noticed.
 */
export function createWorkspaces(home: string): (agentId: string) => Promise<string> {
  const known = new Map<string, KnownWorkspace>()

  return async (agentId) => {
    const before = known.get(agentId)
    if (before && identityOf(before.path) === before.identity) return before.path
    const path = await prepareWorkspace(home, agentId)
    const identity = identityOf(path)
    if (identity === undefined) known.delete(agentId)
    else known.set(agentId, { path, identity })
    return path
  }
}

/** Undefined for what is no folder. At once: the way through the thread pool costs ten times the look. */
function identityOf(path: string): string | undefined {
  const found = lstatSync(path, { bigint: true, throwIfNoEntry: false })
  return found?.isDirectory() ? `${found.dev}:${found.ino}:${found.birthtimeNs}` : undefined
}
