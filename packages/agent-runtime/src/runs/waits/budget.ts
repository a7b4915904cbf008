import { whileStoreFails } from '../../concurrency/while-store-fails.ts'
import type { CallMeter, ReachedBudget } from '../../budgets/create-call-meter.ts'
import { RuntimeError } from '../../ports/runtime-error.ts'
import type { StoredWait } from '../../store/ports/wait.ts'
import type { Run, RunPause } from '../loop/run.ts'
import type { RunsContext } from '../runs-options.ts'
import { settle } from './waits.ts'

const schema = {
  type: 'object',
  properties: { continue: { enum: [true], enumNames: ['Continue'] } },
  required: ['continue'],
}

/**
 * What the next model call waits for: a person who lets the run continue above a share of a budget.
 *
 * @throws {RuntimeError} `budget_exceeded` if the person declined, or nobody answered in time
 */
export async function askForBudget(run: Run, meter: CallMeter): Promise<RunPause | undefined> {
  const { context, row, prompt, tools, chain } = run
  const options = {
    prompt,
    ...(tools.offered.length > 0 && { tools: tools.offered }),
    ...(row.outputSchema && { responseFormat: { type: 'json' as const, schema: row.outputSchema } }),
  }
  for (const reached of await meter.reached(chain.current.name, options)) {
    if (await mayContinue(context, reached.key, row.userId)) continue
    const known = run.answers.findLast(({ kind, key }) => kind === 'budget' && key === reached.key)
    if (known?.status === 'answered') {
      await allow(context, known)
      continue
    }
    if (known) throw declined(known)
    return { opens: [toWait(reached)], suspended: [] }
  }
  return undefined
}

function toWait({ key, used, limit, unit }: ReachedBudget) {
  const shown = unit === 'usd' ? `$${used} of $${limit}` : `${used} of ${limit} tokens`
  const message = `${shown} of the budget are used. Continue to the limit?`
  return { kind: 'budget', key, message, args: { used, limit, unit }, schema } as const
}

function declined({ status, reason, key = '' }: StoredWait): RuntimeError {
  const why = reason === undefined ? '' : `: ${reason}`
  const fact =
    status === 'declined'
      ? `a person declined to use more of the budget ${key}${why}`
      : `nobody allowed in time to use more of the budget ${key}`
  return new RuntimeError(
    'budget_exceeded',
    `Calling the model failed: ${fact}. Wait for its next period, or raise "ask_at".`,
    { details: { account: key } },
  )
}

/** The account that shows that a user may use an account up to its limit. It goes when that account goes. */
const consentKey = (key: string, userId: string | undefined) =>
  key.startsWith('run:') ? `${key}:continue` : `continue:${userId ?? ''}:${key}`

async function mayContinue(context: RunsContext, key: string, userId: string | undefined): Promise<boolean> {
  const read = () => context.store.readBudget(consentKey(key, userId))
  return (await whileStoreFails(context, read)).tokens > 0
}

/** Lets all runs of a user use a budget up to its limit, and answers those that wait for it. */
async function allow(context: RunsContext, allowed: StoredWait): Promise<void> {
  const { id, runId, key = '', userId, settledBy } = allowed
  const { store } = context
  const accounts = [{ key: consentKey(key, userId) }]
  const reservation = { id: `${runId}:continue:${id}`, accounts, tokens: 1, microUsd: 0 }
  await whileStoreFails(context, () => store.reserveBudget(reservation))
  const filter = { kind: 'budget', status: 'open', ...(userId !== undefined && { userId }) } as const
  for (let cursor: string | undefined; ;) {
    const page = { limit: 500, ...(cursor !== undefined && { cursor }) }
    const { rows, nextCursor } = await context.store.listWaits(filter, page)
    for (const wait of rows) {
      if (wait.key !== key || wait.userId !== userId) continue
      const run = await context.store.findRun(wait.runId)
      const how = { status: 'answered', data: { continue: true } } as const
      if (run) await settle(context, { run, wait }, how, settledBy)
    }
    if (nextCursor === undefined) return
    cursor = nextCursor
  }
}
