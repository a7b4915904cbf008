import type { RerunRequest, RunRequest } from '@homeward/contract/agent-platform'
import type { StoredAgentRun } from '../../store/ports/run-store.ts'
import { startRun, type RunAgain } from '../start-run.ts'
import type { RunsParts } from '../runs-parts.ts'
import type { RunStarter } from '../run-starter.ts'
import { readRunView } from '../trace/run-view.ts'
import { earlierMessages } from './earlier-messages.ts'
import { toBeginning } from './rerun-start.ts'

/**
 * Starts an agent's run again, from its start or from one of its steps, in a conversation of its own. The agent is as it is
 * now; task, history, files, limits and settings are those of the run.
 *
 * @throws {RuntimeError} `validation_error` for an unknown step; as `Runs.start` does.
 */
export async function rerunAgent(
  parts: RunsParts,
  starter: RunStarter,
  assertOpen: () => void,
  run: StoredAgentRun,
  asked: RerunRequest,
) {
  const { context, live } = parts
  const id = context.createId()
  const { from_step: from, idempotency_key: key } = asked
  const begun =
    from === undefined
      ? undefined
      : toBeginning(await readRunView(context, live, run), from, id, await context.redactor())
  const again: RunAgain = {
    id,
    rerunOf: { runId: run.id, ...(from !== undefined && { step: String(from) }) },
    history: await earlierMessages(context, run),
    ...(begun && { begun }),
  }
  const request: RunRequest = {
    agent_id: run.agentId,
    task: asked.task ?? run.task,
    limits: run.limits,
    store: run.store,
    ...(run.userId !== undefined && { user_id: run.userId }),
    ...(run.modelSettings && { model_settings: run.modelSettings }),
    ...(run.outputSchema && { output_schema: run.outputSchema }),
    ...(run.metadata && { metadata: run.metadata }),
    ...(key !== undefined && { idempotency_key: key }),
  }
  const { instructions, files: storedFiles, tainted } = run
  const options = {
    source: 'rerun',
    tainted,
    ...(instructions !== undefined && { instructions }),
    ...(storedFiles && { storedFiles }),
  } as const
  return startRun(parts, starter, assertOpen, request, options, again)
}
