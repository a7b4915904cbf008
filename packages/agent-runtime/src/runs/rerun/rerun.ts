import type { RerunRequest } from '@homeward/contract/agent-platform'
import { RuntimeError } from '../../ports/runtime-error.ts'
import type { RunsParts } from '../runs-parts.ts'
import type { RunStarter } from '../run-starter.ts'
import { rerunAgent } from './rerun-agent.ts'

/**
 * Starts an agent's run again: see {@link rerunAgent}.
 *
 * @throws {RuntimeError} `not_found`; `validation_error` for the run of a graph, and for `from`.
 */
export async function rerun(
  parts: RunsParts,
  starter: RunStarter,
  assertOpen: () => void,
  id: string,
  asked: RerunRequest,
) {
  const run = await parts.context.store.findRun(id)
  if (!run)
    throw new RuntimeError('not_found', 'Running again failed: no run has this id. List the runs to find it.')
  if (run.kind === 'graph') throw refuse('the run belongs to a graph. Use graphs.rerun().')
  if (asked.from) throw refuse('"from" works only for runs of graphs. Use "from_step".')
  return rerunAgent(parts, starter, assertOpen, run, asked)
}

const refuse = (problem: string) => new RuntimeError('validation_error', `Running again failed: ${problem}`)
