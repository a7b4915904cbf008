import { ApprovalDecision, type Json, type WaitAnswer } from '@homeward/contract/agent-platform'
import { parseInput, readInput } from '../../host-input/parse-input.ts'
import { boundedLimit } from '../../paging/bounded-limit.ts'
import { readPage } from '../../paging/read-page.ts'
import { RuntimeError } from '../../ports/runtime-error.ts'
import {
  isApproval,
  type StoredApproval,
  type StoredWait,
  type WaitOutcome,
  type WaitSettlement,
} from '../../store/ports/wait.ts'
import { toCanonicalJson } from '../calls/effect-ledger.ts'
import { noteMissedRun, resumeWaiting } from '../continue.ts'
import type { Runs } from '../runs.ts'
import type { RunsContext } from '../runs-options.ts'
import {
  assertArguments,
  type AskedWait,
  deciding,
  forgetRemembered,
  listRemembered,
  toRemembered,
} from './approvals.ts'
import { toApproval, toListedWait, toWait } from '../../store/wait-view.ts'

/** What `Runs` says about waits. `ready` has what was left resumed first. */
export function createWaits(
  context: RunsContext,
  ready: () => Promise<void>,
): Pick<
  Runs,
  | 'waits'
  | 'answerWait'
  | 'answers'
  | 'signal'
  | 'loggedIn'
  | 'elicited'
  | 'decideApproval'
  | 'rememberedApprovals'
  | 'forgetApproval'
> {
  const { store } = context
  return {
    async waits({ limit = 100, cursor, status = 'open', ...filter } = {}, signal) {
      await ready()
      const page = { limit: boundedLimit(limit, 500), cursor }
      const { rows, nextCursor } = await readPage('waits', page, (part) =>
        store.listWaits({ ...filter, status }, part, signal),
      )
      return { waits: rows.map(toListedWait), ...(nextCursor !== undefined && { nextCursor }) }
    },
    async answerWait(runId, waitId, answer, answeredBy) {
      await ready()
      const asked = await findAsked(context, runId, waitId, answering)
      const how = await toHow(context, asked, answer)
      if (asked.wait.status !== 'open') return toWait(assertSame(asked.wait, how))
      const outcome = await settle(context, asked, how, answeredBy)
      if (outcome.outcome === 'unknown') throw unknownWait(answering)
      return toWait(outcome.outcome === 'settled' ? outcome.wait : assertSame(outcome.wait, how))
    },
    answers: {
      problemOf: (wait, data) => problemOf(context, wait, data),
      toSettlement: (...given) => toSettlement(context, ...given),
      resume: (runId) => void resumeWaiting(context, runId),
    },
    async signal(request) {
      await ready()
      return (await import('./signals.ts')).sendSignal(context, request)
    },
    async loggedIn(server, userId) {
      await ready()
      await (await import('./logins.ts')).settleLogins(context, server, userId)
    },
    async elicited(server, id) {
      await ready()
      await (await import('./elicitations.ts')).settleElicitation(context, server, id)
    },
    async decideApproval(runId, approvalId, decision, decidedBy) {
      await ready()
      const asked = await findAsked(context, runId, approvalId, deciding)
      if (!isApproval(asked.wait)) throw unknownWait(deciding)
      if (asked.wait.status !== 'open') throw settledBefore(deciding)
      const outcome = await settle(context, asked, await toDecided(context, asked, decision), decidedBy)
      if (outcome.outcome === 'unknown') throw unknownWait(deciding)
      if (outcome.outcome === 'already') throw settledBefore(deciding)
      return toApproval(outcome.wait as StoredApproval) // the one that was asked for
    },
    async rememberedApprovals(agentId, { userId } = {}) {
      await ready()
      return listRemembered(context, { agentId, userId })
    },
    async forgetApproval(agentId, id, { userId } = {}) {
      await ready()
      await forgetRemembered(context, { agentId, userId }, id)
    },
  }
}

/** How a wait is to be settled. */
type How = Pick<WaitSettlement, 'status' | 'data' | 'reason' | 'signal'>

const answering = 'Answering a wait failed:'

const settledBefore = (attempt: string) =>
  attempt === deciding
    ? new RuntimeError('conflict', `${deciding} the call has already been decided. Reload the run.`)
    : new RuntimeError('conflict', `${answering} it has already been settled. Reload the run.`)

const unknownWait = (attempt: string) =>
  attempt === deciding
    ? new RuntimeError(
        'not_found',
        `${deciding} the run has no approval with this id. List the approvals of the run.`,
      )
    : new RuntimeError(
        'not_found',
        `${answering} the run has no wait with this id. List the waits of the run.`,
      )

/** Runs above one another that are looked at. */
const maxDepth = 10

/** Finds a wait of a run, or of a run below it. @throws {RuntimeError} `not_found` */
async function findAsked(
  { store }: RunsContext,
  runId: string,
  waitId: string,
  attempt: string,
): Promise<AskedWait> {
  if (!(await store.findRun(runId)))
    throw new RuntimeError('not_found', `${attempt} no run has this id. List the runs to find it.`)
  const { rows } = await store.listWaits({ id: waitId }, { limit: 100 })
  for (const wait of rows) {
    const run = await store.findRun(wait.runId)
    let above = run
    for (let depth = 0; above && above.id !== runId && depth < maxDepth; depth += 1)
      above = above.parentRunId === undefined ? undefined : await store.findRun(above.parentRunId)
    if (run && above?.id === runId) return { run, wait }
  }
  throw unknownWait(attempt)
}

/** @throws {RuntimeError} `validation_error`, `conflict` */
async function toHow(context: RunsContext, asked: AskedWait, answer: WaitAnswer): Promise<How> {
  const { wait } = asked
  const { data = null, decline, reason } = answer
  if (wait.kind === 'event' && wait.event === undefined)
    throw new RuntimeError(
      'conflict',
      `${answering} it waits for a time. Wait until then, or cancel the run.`,
    )
  if (decline) return { status: 'declined', ...(typeof reason === 'string' && { reason }) }
  if (wait.kind === 'approval') {
    if (wait.status === 'open')
      return toDecided(
        context,
        asked,
        parseInput(ApprovalDecision, data as ApprovalDecision, 'Answering a wait'),
      )
    const given = readInput(ApprovalDecision, data)
    return { status: 'answered', data: 'value' in given ? withoutAbsent(given.value) : data }
  }
  if (wait.status !== 'open') return { status: 'answered', data }
  if (wait.kind === 'login') await (await import('./logins.ts')).assertLoggedIn(context, wait)
  const problem = await problemOf(context, wait, data)
  if (problem === undefined) return { status: 'answered', data }
  throw new RuntimeError('validation_error', `${answering} ${problem}. Send "data" that matches the schema.`)
}

/** What is wrong with an answer; undefined for nothing. */
export async function problemOf(
  { checks }: RunsContext,
  wait: StoredWait,
  data: Json,
): Promise<string | undefined> {
  const { kind, schema = kind === 'question' ? { type: 'string' } : wait.match } = wait
  if (!schema) return undefined
  const check = await checks.checkOutput(schema, data, '"data"')
  return check.outcome === 'valid' ? undefined : check.problem
}

/** @throws {RuntimeError} `validation_error` */
async function toDecided(context: RunsContext, asked: AskedWait, decision: ApprovalDecision): Promise<How> {
  if (decision.args) await assertArguments(context, asked, decision.args)
  return { status: 'answered', data: withoutAbsent(decision) }
}

const withoutAbsent = (decision: ApprovalDecision) => JSON.parse(JSON.stringify(decision)) as Json // an object of JSON

/** Whether a wait was settled like this. @throws {RuntimeError} `conflict` */
function assertSame(wait: StoredWait, { status, data = null }: How): StoredWait {
  const isSame =
    wait.status === status &&
    (status === 'declined' || toCanonicalJson(wait.data ?? null) === toCanonicalJson(data))
  if (isSame) return wait
  throw settledBefore(answering)
}

function toSettlement(
  context: RunsContext,
  wait: StoredWait,
  how: How,
  settledBy: string | undefined,
): WaitSettlement {
  const end = { ...how, settledAt: context.timestamp(), ...(settledBy !== undefined && { settledBy }) }
  return { runId: wait.runId, waitId: wait.id, ...end, journal: toSettledEvents({ ...wait, ...end }) }
}

/** Settles a wait, and lets its run go on if nothing else of it is open. */
export async function settle(
  context: RunsContext,
  { run, wait }: AskedWait,
  how: How,
  settledBy: string | undefined,
): Promise<WaitOutcome> {
  const { journal, ...end } = toSettlement(context, wait, how, settledBy)
  const settled: StoredWait = { ...wait, ...end }
  const remember = isApproval(settled) ? toRemembered(context, run, settled) : undefined
  const settlement: WaitSettlement = { ...end, ...(remember && { remember }), journal }
  const outcome = await context.store.settleWait(settlement).catch((error: unknown) => {
    noteMissedRun(context) // it may have been kept all the same
    throw error
  })
  if (outcome.outcome === 'settled' && (outcome.open === 0 || run.kind === 'graph'))
    void resumeWaiting(context, run.id)
  return outcome
}

/** The journal events of the end of a wait. They name how it ended, and hold neither arguments nor answers. */
function toSettledEvents(wait: StoredWait): WaitSettlement['journal'] {
  const { id, runId, kind, status, agentId, graphId, settledAt = '', settledBy } = wait
  const head = {
    ...(agentId !== undefined && { agent_id: agentId }),
    ...(graphId !== undefined && { graph_id: graphId }),
  }
  const by = (name: string) => settledBy !== undefined && { [name]: settledBy }
  const settled = { wait_id: id, kind, status, ...by('answered_by') }
  const event = { timestamp: settledAt, runId }
  return [
    ...(isApproval(wait)
      ? [
          {
            ...event,
            type: 'approval.resolved' as const,
            data: { ...head, approval_id: id, status: toApproval(wait).status, ...by('decided_by') },
          },
        ]
      : []),
    { ...event, type: 'wait.settled', data: { ...head, ...settled } },
  ]
}
