import type { RunFile } from '@homeward/contract/agent-platform'
import { toGivenFiles, toNewFiles, type NewFiles } from '../files/to-files.ts'
import { RuntimeError } from '../ports/runtime-error.ts'
import { openWorkspace } from '../tools/workspace/workspace.ts'
import type { RunsContext } from './runs-options.ts'

/** As `RunFile` allows of a file in a request. */
const maxFileBytes = 20 * 1024 * 1024

/**
 * Reads the files that a request brings along, those at a `path` from the agent's workspace.
 *
 * @throws {RuntimeError} `validation_error` if there is no such file, or it is empty or too large.
 */
export async function readGivenFiles(
  { workspace, createId }: Pick<RunsContext, 'workspace' | 'createId'>,
  agentId: string,
  files: readonly RunFile[],
): Promise<NewFiles> {
  const readPath = async (path: string) => {
    const folder = openWorkspace(await workspace(agentId))
    const { bytes, size } = await folder.read(path, 0, maxFileBytes)
    if (size > maxFileBytes)
      throw unusable(path, `must have at most ${maxFileBytes} bytes. Send a smaller file.`)
    if (bytes.length === 0) throw unusable(path, 'is empty. Send another file.')
    return bytes
  }
  return toNewFiles(await toGivenFiles(files, readPath), createId)
}

const unusable = (path: string, fault: string) =>
  new RuntimeError('validation_error', `Reading a file failed: "${path}" ${fault}`)
