import type { Undo, UndoStep } from '@homeward/contract/agent-platform'
import { cut } from '../../json/to-json.ts'
import { RuntimeError } from '../../ports/runtime-error.ts'
import type { NewAgentRun, StoredAgentRun, StoredRun } from '../../store/ports/run-store.ts'
import { beginRun, goOn } from '../continue.ts'
import { toRunTools } from '../loop/prompt.ts'
import type { RunsContext } from '../runs-options.ts'
import { buildRunContext, withSetup } from '../setup.ts'
import { insertRun, toStartedEvent } from '../start.ts'
import { readRunView } from '../trace/run-view.ts'
import { findMadeCall, planUndo } from './plan-undo.ts'
import { undoCallId } from './take-back.ts'

/** Characters of the task that name an undo. */
const maxTaskChars = 200

/** Longest that an undo may work, in seconds; waiting for people does not count. */
const maxRuntimeSeconds = 3600

const fail = (code: 'not_found' | 'validation_error' | 'conflict', fact: string) =>
  new RuntimeError(code, `Undoing a run failed: ${fact}`)

/**
 * Starts to undo the calls of a run, or joins the undo that there is. It is a run of its own, so another process resumes it
 * after a crash, and people approve its calls as they do others.
 *
 * @throws {RuntimeError} `not_found`; `conflict` if the run works or waits, or was trimmed; `validation_error` for the run of a
 * graph and for an undo; what reading the tools of the agent fails with
 */
export async function undoRun(context: RunsContext, id: string): Promise<Undo> {
  const run = await findUndoable(context, id)
  const known = await context.store.findRun(undoIdOf(id))
  if (known) return toUndo(context, known, id)
  if (run.status === 'running' || run.status === 'waiting')
    throw fail('conflict', `the run is ${run.status}. Cancel it, or wait until it has ended.`)
  const undo = await toNewUndo(context, run)
  const redact = await context.redactor()
  const stored = await insertRun(context, undo, [toStartedEvent(context, undo, redact)])
  const { own } = stored
  if (own) beginRun(context, own, undo, () => goOn(context, stored.known, own, false))
  return toUndo(context, stored.known, id)
}

/** The undo of a run, as far as it is. @throws {RuntimeError} `not_found` */
export async function findUndo(context: RunsContext, id: string): Promise<Undo> {
  const undo = await context.store.findRun(undoIdOf(id))
  if (undo) return toUndo(context, undo, id)
  throw new RuntimeError(
    'not_found',
    'Getting an undo failed: the run with this id has no undo. Undo the run first.',
  )
}

/** The same for every request, so that a run is undone once. */
const undoIdOf = (runId: string) => `${runId}.undo`

async function findUndoable(context: RunsContext, id: string): Promise<StoredAgentRun> {
  const run = await context.store.findRun(id)
  if (!run) throw fail('not_found', 'no run has this id. List the runs to find it.')
  if (run.kind === 'graph')
    throw fail('validation_error', 'the run belongs to a graph. Undo the runs of its nodes.')
  if (run.undoes) throw fail('validation_error', 'the run undoes another run. An undo cannot be undone.')
  return run
}

async function toNewUndo(context: RunsContext, run: StoredAgentRun): Promise<NewAgentRun> {
  const { id, agentId, userId, metadata, model, setup, conversationId, task } = run
  const found = await context.agents.find(agentId)
  if (!found) throw fail('not_found', 'the agent of the run was deleted. Create it again.')
  const { signal } = new AbortController()
  const about = { ...(await buildRunContext(context, run, signal)), conversationId }
  const toolset = await context.tools.forRun(withSetup(found, setup), signal, about)
  const { byId } = toRunTools(toolset, context.logger, [])
  const view = await readRunView(context, run)
  if (view.messages.length === 0 && (run.result?.steps.length ?? 0) > 0)
    throw fail('conflict', 'the steps of the run were removed, because it is old.')
  const undoId = undoIdOf(id)
  return {
    kind: 'agent',
    id: undoId,
    idempotencyKey: undoId,
    agentId,
    agentVersion: found.version,
    conversationId: context.createId(),
    ...(userId !== undefined && { userId }),
    task: `Undo: ${cut(task, maxTaskChars)}`,
    source: 'undo',
    store: false,
    ...(metadata && { metadata }),
    ...(setup && { setup }),
    depth: 0,
    tainted: false,
    accounts: [],
    limits: { max_runtime: maxRuntimeSeconds },
    model,
    createdAt: context.timestamp(),
    undoes: { runId: id, steps: planUndo(view, byId, await context.redactor()) },
  }
}

async function toUndo(context: RunsContext, undo: StoredRun, runId: string): Promise<Undo> {
  if (undo.kind === 'graph' || undo.undoes?.runId !== runId)
    throw fail('conflict', 'another run has the idempotency key of the undo.')
  const { messages, waits } = await readRunView(context, undo)
  const isOver = undo.status !== 'running' && undo.status !== 'waiting'
  const statusOf = (index: number): Pick<UndoStep, 'status' | 'reason'> => {
    const id = undoCallId(index)
    const at = messages.findIndex((message) => message.role === 'assistant' && hasCall(message, id))
    const { result } = findMadeCall(messages, { message: at, call: 0 })
    if (result) return result.error === undefined ? undone : failed(result.error)
    if (waits.some(({ callId, status }) => callId === id && status === 'open')) return { status: 'waiting' }
    return isOver ? failed(undo.result?.error ?? 'The undo ended before.') : { status: 'pending' }
  }
  const steps = undo.undoes.steps.map(({ step, tool, reason }, index): UndoStep => {
    const state = reason === undefined ? statusOf(index) : ({ status: 'cannot_undo', reason } as const)
    return { step, tool, ...state }
  })
  return { id: undo.id, steps }
}

type Answer = Extract<Awaited<ReturnType<typeof readRunView>>['messages'][number], { role: 'assistant' }>

const hasCall = ({ parts }: Answer, id: string) =>
  parts.some((part) => part.type === 'tool_call' && part.id === id)

const undone = { status: 'undone' } as const
/** Leaves out what a denial tells models to do. */
const failed = (error: string) =>
  ({ status: 'failed', reason: error.replace(/\. Do not try this call again.*$/s, '.') }) as const
