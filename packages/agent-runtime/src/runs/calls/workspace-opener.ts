import { untilAborted } from '@homeward/kit'
import type { RunsContext } from '../runs-options.ts'

/** Builds what makes sure of an agent's folder at the first calls of a run. It gives undefined when that fails. */
export function createWorkspaceOpener(
  { workspace, logger }: Pick<RunsContext, 'workspace' | 'logger'>,
  agentId: string,
  signal: AbortSignal,
): () => Promise<string | undefined> {
  let opened: string | undefined
  return async () => {
    if (opened !== undefined) return opened
    try {
      opened = await untilAborted(workspace(agentId), signal)
    } catch (error) {
      if (!signal.aborted)
        logger.error('Opening the workspace of an agent failed', { agentId, error: String(error) })
    }
    return opened
  }
}
