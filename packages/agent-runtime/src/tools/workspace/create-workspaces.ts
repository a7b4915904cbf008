import { createHash } from 'node:crypto'
import { lstatSync, type Stats } from 'node:fs'
import { mkdir, readdir, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { RuntimeError } from '../../ports/runtime-error.ts'
import { openFolder } from './open-folder.ts'
import { parseWorkspacePath } from './parse-workspace-path.ts'

interface KnownWorkspace {
  readonly path: string
  readonly folder: Stats
}

/** Absolute path of the folder of an agent for a user, or for runs without a user. It is made when it is missing. */
type Workspaces = (agentId: string, userId?: string) => Promise<string>

/** Folders that are known at most. */
const maxKnown = 10_000

/**
 * Gives agents their workspaces: see {@link prepareWorkspace}. One that was made is only looked at again: it has to be
 * the very folder that it was, so a link or another folder in its place, or in place of one above it, is noticed.
 */
export function createWorkspaces(home: string): Workspaces {
  const known = new Map<string, KnownWorkspace>()

  return async (agentId, userId) => {
    const key = userId === undefined ? agentId : JSON.stringify([agentId, userId])
    const before = known.get(key)
    if (before && isSame(before.folder, folderAt(before.path))) return before.path
    const path = await prepareWorkspace(home, agentId, userId)
    const folder = folderAt(path)
    if (known.size >= maxKnown) known.clear()
    if (folder === undefined) known.delete(key)
    else known.set(key, { path, folder })
    return path
  }
}

/** Undefined for what is no folder, or cannot be looked at. Each run asks once: a worker thread would cost it more than the look. */
function folderAt(path: string): Stats | undefined {
  try {
    const found = lstatSync(path, { throwIfNoEntry: false })
    return found?.isDirectory() ? found : undefined
  } catch {
    return undefined
  }
}

function isSame(one: Stats, other: Stats | undefined): boolean {
  return one.ino === other?.ino && one.dev === other.dev && one.birthtimeMs === other.birthtimeMs
}

/** Ids that some file systems take for another one: capitals, a dot at the end, and names of devices on Windows. */
const ambiguous = /[A-Z]|\.$|^(con|prn|aux|nul|conin\$|conout\$|(com|lpt)\d)(\.|$)/

/** In letters that no file system takes for others. */
const hashOf = (userId: string) => createHash('sha256').update(userId).digest('hex').slice(0, 32)

/** The id of the agent, after a prefix that no id can have where another id could mean the same folder. */
async function folderName(workspaces: string, agentId: string): Promise<string> {
  if (!ambiguous.test(agentId) || /^\.*$/.test(agentId)) return agentId
  const names = await readdir(workspaces).catch((): string[] => [])
  // made by an earlier version
  if (names.includes(agentId)) return agentId
  const digest = createHash('sha256').update(agentId).digest('hex').slice(0, 12)
  return `${digest}~${agentId.replace(/\.$/, '')}`
}

/**
 * Makes the workspace of an agent, for this account of the machine alone: `{home}/workspaces/{agent_id}/`, or for a user
 * `{home}/user-workspaces/{agent_id}/{hash of the user}/`.
 *
 * @returns its absolute path, which follows no link below the data home.
 * @throws {RuntimeError} `storage_error` when a link or a file stands in its place.
 */
export async function prepareWorkspace(home: string, agentId: string, userId?: string): Promise<string> {
  const parent = userId === undefined ? 'workspaces' : 'user-workspaces'
  const name = await folderName(join(home, parent), agentId)
  const names = parseWorkspacePath(name, 'Opening the workspace of agent')
  if (names.length !== 1 || names[0] !== name) {
    throw new RuntimeError(
      'validation_error',
      'Opening a workspace failed: the id of the agent is not a valid folder name. Use an agent with another id.',
    )
  }
  try {
    await mkdir(home, { recursive: true, mode: 0o700 })
    const root = await realpath(home)
    const path = [parent, name, ...(userId === undefined ? [] : [hashOf(userId)])]
    const folder = await openFolder(root, path, { create: true })
    await folder.close()
    return join(root, ...path)
  } catch (cause) {
    const text = `Opening the workspace of agent "${agentId}" failed: its folder cannot be created or is a link. Check ${parent}/ in the data home.`
    throw new RuntimeError('storage_error', text, { cause })
  }
}
