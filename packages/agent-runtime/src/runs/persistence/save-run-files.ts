import type { NewFiles } from '../../files/to-files.ts'
import type { NewAgentRun } from '../../store/ports/run-store.ts'
import type { RunsContext } from '../runs-options.ts'

/** Stores files that a run made. They are deleted with the run, or with its conversation. */
export async function saveRunFiles(
  { store, timestamp }: Pick<RunsContext, 'store' | 'timestamp'>,
  run: Pick<NewAgentRun, 'id' | 'conversationId' | 'store'>,
  { files, contents }: NewFiles,
): Promise<void> {
  const conversationId = run.store ? run.conversationId : undefined
  await store.saveFiles({
    owner: { kind: 'run', id: run.id, conversationId },
    files,
    contents,
    now: timestamp(),
  })
}
