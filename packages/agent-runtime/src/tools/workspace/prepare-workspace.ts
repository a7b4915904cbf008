import { mkdir, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { RuntimeError } from '../../ports/runtime-error.ts'
import { openFolder } from './open-folder.ts'
import { parseWorkspacePath } from './parse-workspace-path.ts'

/**
 * Makes the workspace of an agent, `{home}/workspaces/{agent_id}/`, for this user alone.
 *
 * @returns its absolute path, which follows no link below the data home.
 * @throws {RuntimeError} `storage_error` when a link or a file stands in its place.
 */
export async function prepareWorkspace(home: string, agentId: string): Promise<string> {
  const names = parseWorkspacePath(agentId, 'Opening the workspace of agent')
  if (names.length !== 1 || names[0] !== agentId) {
    throw new RuntimeError(
      'validation_error',
      'Opening a workspace failed: the id of the agent is not a valid folder name. Use an agent with another id.',
    )
  }
  try {
    await mkdir(home, { recursive: true, mode: 0o700 })
    const root = await realpath(home)
    const folder = await openFolder(root, ['workspaces', agentId], { create: true })
    await folder.close()
    return join(root, 'workspaces', agentId)
  } catch (cause) {
    const text = `Opening the workspace of agent "${agentId}" failed: its folder cannot be created or is a link. Check workspaces/ in the data home.`
    throw new RuntimeError('storage_error', text, { cause })
  }
}
