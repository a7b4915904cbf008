import { whileStoreFails } from '../../concurrency/while-store-fails.ts'
import { isApproval, type StoredWait } from '../../store/ports/wait.ts'
import type { KnownCalls, Verdict } from '../calls/plan-calls.ts'
import { childrenOf } from '../find-run.ts'
import type { Run, RunState } from '../loop/run.ts'
import type { RunsContext } from '../runs-options.ts'
import { toApproval, toWait } from '../../store/wait-view.ts'

/**
 * Tells how the waits of a run ended that goes on, each once, and gives what people decided. Providers give the same id to calls
 * of different turns: only what was asked in this turn counts.
 */
export async function readVerdicts(run: Run): Promise<KnownCalls['verdicts']> {
  const own = await tellSettled(run.context, run, run.signal)
  run.answers = own
  return new Map(own.filter(isApproval).map((wait) => [wait.callId, toVerdict(toApproval(wait))]))
}

function toVerdict(approval: ReturnType<typeof toApproval>): Verdict {
  const { status, edited_args, reason, response, decided_by } = approval
  return {
    // it goes on: nothing is open
    status: status === 'pending' ? 'denied' : status,
    ...(edited_args && { editedArgs: edited_args }),
    ...(reason !== undefined && { reason }),
    ...(response !== undefined && { response }),
    ...(decided_by !== undefined && { decidedBy: decided_by }),
  }
}

/** Tells that the open waits of a run are cancelled, because it ends while it waits. */
export async function tellCancelled(context: RunsContext, run: RunState): Promise<void> {
  const settledAt = context.timestamp()
  for (const wait of await tellSettled(context, run)) {
    if (wait.status !== 'open') continue
    const { id, kind } = wait
    run.log.push({
      event: 'wait_settled',
      data: { wait: toWait({ ...wait, status: 'cancelled', settledAt }) },
    })
    const data = { agent_id: run.row.agentId, wait_id: id, kind, status: 'cancelled' }
    context.tracing.current?.waited(run.row.id, { ...wait, status: 'cancelled', settledAt })
    run.writer.note('wait.settled', data, settledAt)
  }
}

/** @returns the waits of this turn that are the run's own */
async function tellSettled(context: RunsContext, run: RunState, signal?: AbortSignal): Promise<StoredWait[]> {
  const { asked, settled } = run.progress
  const { id: runId } = run.row
  const find = async () => {
    const own = await context.store.listWaitsOf([runId], signal)
    const ids = new Set(own.map(({ id }) => id))
    const below = asked.some((id) => !ids.has(id)) ? await listBelow(context, runId) : []
    return { own, below }
  }
  const { own, below } = await whileStoreFails(context, find, signal)
  const fresh = [...own, ...below].filter(
    ({ id, status }) => status !== 'open' && asked.includes(id) && !settled.includes(id),
  )
  for (const wait of fresh) run.log.push({ event: 'wait_settled', data: { wait: toWait(wait) } })
  for (const wait of fresh) if (wait.runId === runId) context.tracing.current?.waited(runId, wait)
  run.progressed({ settled: [...settled, ...fresh.map(({ id }) => id)] })
  return own.filter(({ id }) => asked.includes(id))
}

/** Runs below one another that are looked through. */
const maxDepth = 8

async function listBelow(context: RunsContext, runId: string, depth = 0): Promise<StoredWait[]> {
  if (depth >= maxDepth) return []
  const children = await Array.fromAsync(childrenOf(context.store, runId), ({ id }) => id)
  if (children.length === 0) return []
  const below = await Promise.all(children.map((id) => listBelow(context, id, depth + 1)))
  return [...(await context.store.listWaitsOf(children)), ...below.flat()]
}
