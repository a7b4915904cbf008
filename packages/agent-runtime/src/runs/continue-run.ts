import type { RunResult } from '@homeward/contract/agent-platform'
import { RuntimeError } from '../runtime-error.ts'
import { createActiveRun, openCalls, type ActiveRun, type RunRecordInput } from './active-run.ts'
import { createModelChain } from './call-model.ts'
import type { ArgumentChecks } from './check-arguments.ts'
import { driveRun } from './drive-run.ts'
import { prepareRun } from './prepare-run.ts'
import { runCalls } from './run-calls.ts'
import { runTurns, type RunEnd } from './run-turns.ts'
import type { RunsContext } from './runs-options.ts'
import { saveStep } from './save-run.ts'

/**
 * Goes on with a run whose approvals are all decided: makes the calls that were approved, tells the model of the
 * others, and takes the next turn (A20).
 *
 * @throws {RuntimeError} `not_found` when the agent is gone; `model_not_configured`.
 */
export async function continueRun(
  context: RunsContext,
  checks: ArgumentChecks,
  record: RunRecordInput,
  controller: AbortController,
): Promise<RunResult> {
  const { signal } = controller
  const agent = await context.agents.find(record.run.agentId, signal)
  if (!agent) throw new RuntimeError('not_found', 'Going on with a run: its agent is gone')
  const chain = await createModelChain(context, agent, signal)
  const run = createActiveRun({ ...record, agent, chain, model: chain.current.name, depth: 0, signal })
  return driveRun(context, run, controller, async () => {
    await prepareRun(context, run)
    return takeUp(context, checks, run)
  })
}

async function takeUp(context: RunsContext, checks: ArgumentChecks, run: ActiveRun): Promise<RunEnd> {
  // Of approvals for calls with the same id, the newest counts.
  const approvals = await context.store.listApprovals(run.run.id, run.signal)
  const verdicts = new Map(approvals.map((approval) => [approval.callId, approval]))
  const waiting = await runCalls(context, checks, run, openCalls(run.messages), verdicts)
  if (waiting.length > 0) return { stop: 'approval', waiting: waiting.map(({ call }) => call) }
  run.signal.throwIfAborted()
  await saveStep(context, run)
  return runTurns(context, checks, run)
}
