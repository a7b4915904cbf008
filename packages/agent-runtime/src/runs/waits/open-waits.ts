import type { Approval, RunEvent, RunResult, Wait } from '@homeward/contract/agent-platform'
import type { StoredWait } from '../../store/ports/wait.ts'
import { effectsOf } from '../calls/call-events.ts'
import { hashCall, toIntent } from '../calls/effect-ledger.ts'
import type { OpenedWait, Run, RunPause } from '../loop/run.ts'
import { toApprovals, toWait } from '../../store/wait-view.ts'

/** Seconds that a wait stays open. */
const defaultTimeoutS = 86_400

/** Stops the run until what its calls wait for has come, and until the runs that others wait for have ended. */
export async function openWaits(run: Run, { opens, suspended, kept = [] }: RunPause): Promise<RunResult> {
  const createdAt = run.context.timestamp()
  const stored = opens.map((one) => toStored(run, one, createdAt))
  const own = stored.map(toWait)
  const others = suspended.flatMap(({ waits }) => waits)
  const waits = [...own, ...others]
  const approvals = [...toApprovals(stored), ...others.flatMap(toAsked)]
  const stop = approvals.length > 0 ? 'approval' : 'waiting'
  const result: RunResult = {
    ...run.result({ stop }),
    ...(approvals.length > 0 && { approvals }),
    waits,
  }
  for (const wait of stored) noteOpened(run, wait)
  const known = new Set(run.progress.asked) // told before the run went on for a moment
  const events = waits.flatMap((wait) => (known.has(wait.id) ? [] : toEvents(wait, run.row.id)))
  run.progressed({ asked: [...new Set([...known, ...waits.map(({ id }) => id)])] })
  const parked = new Set(opens.flatMap(({ planned }) => planned ?? []))
  const waiting = suspended.map(({ call }) => call).filter((call) => !parked.has(call))
  const intents = [
    ...[...new Set(waiting)].map(toIntent),
    ...[...parked].map((call) => ({ ...toIntent(call), isParked: true })),
    ...kept,
  ]
  await run.writer.wait({ opens: stored, result }, events, intents)
  for (const { expiresAt } of stored)
    if (expiresAt !== undefined) run.context.hooks.onDue?.(Date.parse(expiresAt))
  return result
}

function toStored(run: Run, opened: OpenedWait, createdAt: string): StoredWait {
  const { context, row, redact, agent } = run
  const { kind, call, planned: _, expiresAt, message, schema, ...asked } = opened
  const { approval_timeout: ofApproval, wait_timeout: ofWait } = agent
  const timeoutS = (kind === 'approval' ? (ofApproval ?? ofWait) : (ofWait ?? ofApproval)) ?? defaultTimeoutS
  return {
    id: context.createId(),
    runId: row.id,
    kind,
    status: 'open',
    agentId: row.agentId,
    ...(row.userId !== undefined && { userId: row.userId }),
    ...(call && {
      callId: call.id,
      tool: call.name,
      // for people to read: what is called is called with what the message holds
      ...(kind !== 'question' && { args: redact.json(call.args) }),
      ...(kind === 'approval' && { callHash: hashCall(call.name, call.args) }),
    }),
    ...asked,
    ...(message !== undefined && { message: redact.text(message) }),
    ...(schema && { schema: redact.json(schema) }),
    createdAt,
    expiresAt: expiresAt ?? new Date(Date.parse(createdAt) + timeoutS * 1000).toISOString(),
  }
}

function noteOpened(run: Run, { id, kind, tool, createdAt }: StoredWait): void {
  const agent = { agent_id: run.row.agentId }
  const about = tool !== undefined && { tool, ...effectsOf(run, tool) }
  if (kind === 'approval')
    run.writer.note('approval.requested', { ...agent, approval_id: id, ...about }, createdAt)
  run.writer.note('wait.opened', { ...agent, wait_id: id, kind, ...about }, createdAt)
}

/** The events that tell of a wait. A stream names the run that asked if it is not its own. */
export function toEvents(wait: Wait, runId: string): RunEvent[] {
  const { id, run_id, kind, tool = '', args = null } = wait
  const opened: RunEvent = { event: 'wait', data: { wait } }
  if (kind !== 'approval') return [opened]
  const other = run_id !== runId && { run_id }
  // who reads until a call waits for approval has read all
  return [opened, { event: 'approval', data: { id, tool, args, ...other } }]
}

/** The approval that a wait of a run below is. */
function toAsked({ id, run_id, kind, tool = '', args = null, created_at, expires_at }: Wait): Approval[] {
  if (kind !== 'approval') return []
  const expires = expires_at !== undefined && { expires_at }
  return [{ id, run_id, tool, args, status: 'pending', created_at, ...expires }]
}
