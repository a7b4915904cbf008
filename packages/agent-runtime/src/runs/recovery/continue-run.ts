import type { StoredEffect } from '../../store/ports/effect.ts'
import { RuntimeError } from '../../ports/runtime-error.ts'
import { whileStoreFails } from '../../concurrency/while-store-fails.ts'
import { createActiveRun, type ActiveRun } from '../active-run.ts'
import { buildRunContext } from '../build-run-context.ts'
import { withSetup } from '../run-setup.ts'
import type { LoadedRun } from '../loaded-run.ts'
import { createModelChain } from '../turns/model-chain.ts'
import { assertHostedTools } from '../turns/offered-tools.ts'
import type { ArgumentChecks } from '../calls/check-arguments.ts'
import { driveRun } from '../drive-run.ts'
import type { LiveEnd, LiveRun } from '../live-runs.ts'
import { prepareRun } from '../turns/prepare-run.ts'
import type { KnownCalls } from '../calls/plan-calls.ts'
import { guardInput } from '../guards/guard-input.ts'
import { guardOutcomes } from '../guards/guard-result.ts'
import { runCalls } from '../calls/run-calls.ts'
import { endCalls, runTurns, type RunStop } from '../turns/run-turns.ts'
import { openCalls } from '../run-messages.ts'
import type { RunsContext } from '../runs-options.ts'

/**
 * Goes on with a run behind what is kept of it: after a crash, a shutdown, or a person's decisions. Calls of the newest
 * answer that have no result are made, unless the ledger forbids it (A8) or a person does (A20); then it takes the next
 * turn.
 *
 * @throws {RuntimeError} `not_found` when the agent is gone; `model_not_configured`; `run_error` if `contextFor` fails.
 */
export async function continueRun(
  context: RunsContext,
  checks: ArgumentChecks,
  loaded: LoadedRun,
  own: LiveRun,
): Promise<LiveEnd> {
  const { signal } = own.controller
  const find = () => context.agents.find(loaded.run.agentId, signal)
  const stored = await whileStoreFails(context, find, signal)
  if (!stored) throw new RuntimeError('not_found', 'Resuming a run failed: its agent was deleted')
  const agent = withSetup(stored, loaded.run.setup)
  const { modelSettings: settings, model: givenFor } = loaded.run
  const chain = await createModelChain(context, agent, { settings, givenFor }, signal)
  assertHostedTools(chain.current, chain.hostedTools)
  const runContext = await buildRunContext(context, loaded.run, signal)
  const parts = { agent, chain, own, runContext }
  const run = createActiveRun(context, { ...loaded, model: chain.current.name }, parts)
  return driveRun(context, run, async () => {
    run.signal.throwIfAborted()
    await guardInput(context, run)
    await prepareRun(context, run)
    return takeUp(context, checks, run, loaded.effects)
  })
}

/** Makes the calls of the newest answer that have no result yet, then takes the next turn. */
export async function takeUp(
  context: RunsContext,
  checks: ArgumentChecks,
  run: ActiveRun,
  effects: readonly StoredEffect[],
): Promise<RunStop> {
  const calls = openCalls(run.writer.messages)
  if (calls.length > 0) {
    const checked = await guardOutcomes(context, run, calls, effects)
    const before: KnownCalls = {
      verdicts: await findVerdicts(context, run),
      ledger: new Map(checked.map((effect) => [effect.callId, effect])),
    }
    const end = endCalls(run, await runCalls(context, checks, run, calls, before))
    if (end) return end
  }
  return runTurns(context, checks, run)
}

/** Providers give the same id to calls of different turns: only what was asked for in this turn counts. */
async function findVerdicts(context: RunsContext, run: ActiveRun): Promise<KnownCalls['verdicts']> {
  if (run.asked.length === 0) return new Map()
  const list = () => context.store.listApprovals([run.run.id], run.signal)
  const approvals = await whileStoreFails(context, list, run.signal)
  const asked = approvals.filter(({ id }) => run.asked.includes(id))
  return new Map(asked.map((approval) => [approval.callId, approval]))
}
