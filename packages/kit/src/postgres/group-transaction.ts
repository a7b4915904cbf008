import type { Step } from '../sql/plan.ts'
import type { Connections, PooledConnection } from './connect.ts'
import type { Locks } from './locks.ts'
import { toBegin } from './locks.ts'
import type { RunStep } from './session.ts'
import { settleAll } from './session.ts'
import { classify, toInDoubtFailure } from './to-postgres-failure.ts'
import { useConnection } from './use-connection.ts'

/** A write that shares a transaction with others. */
export interface GroupWrite<Signal> {
  readonly locks: Locks
  /** Runs the plan and gives the call that answers it, to be made once the transaction is committed. */
  run(
    runStep: (step: Step) => Promise<readonly unknown[]>,
    tell: (signal: Signal) => void,
  ): Promise<() => void>
}

/** Steps that wait for the end of their transaction and are then joined into one. Each returns its number of rows. */
export interface DeferredSteps {
  /** Whether a step waits for the end of the transaction. */
  isDeferred(step: Step): boolean
  /** Joins the parameters of all steps into one step. */
  join(parameterLists: readonly (readonly unknown[])[]): Step
}

/** Options of {@link commitGroup}. */
export interface GroupTransactionOptions {
  /** The pool that provides connections. */
  readonly pool: Connections['pool']
  /** Separates the locks of one schema from those of others. */
  readonly namespace: string
  /** Runs one step on a connection. */
  readonly runStep: RunStep
  /** Steps that run at the end of the transaction. @default no steps */
  readonly heldBack?: DeferredSteps | undefined
}

/** What a transaction came to. */
interface Committed<Signal> {
  readonly answers: readonly (() => void)[]
  readonly signals: readonly Signal[]
}

/**
 * Runs writes in one transaction.
 *
 * Writes run in parallel, except for writes that need the same lock. Deferred steps run at the very end, together
 * with the commit.
 *
 * @throws {unknown} the error. Nothing is stored then, unless the outcome is in doubt.
 */
export function commitGroup<Signal>(
  options: GroupTransactionOptions,
  group: readonly GroupWrite<Signal>[],
): Promise<Committed<Signal>> {
  return useConnection(options.pool, (client) => runTogether(client, options, group))
}

async function runTogether<Signal>(
  client: PooledConnection,
  { namespace, runStep, heldBack }: GroupTransactionOptions,
  group: readonly GroupWrite<Signal>[],
): Promise<Committed<Signal>> {
  const signals: Signal[] = []
  const waiting: (readonly unknown[])[] = []
  const run = async (step: Step): Promise<readonly unknown[]> => {
    if (heldBack?.isDeferred(step) !== true) return runStep(client, step)
    waiting.push(...step.parameterLists)
    return [step.parameterLists.length]
  }
  const locks = group.map((write) => write.locks)
  const began = client.query(toBegin(namespace, locks))
  const works = inOrder(group, (write) => write.run(run, (signal) => void signals.push(signal)))
  // How it began comes first: when its locks were not had, that is why the writes after it failed.
  const [, answers] = await settleAll([began.then(() => []), settleAll(works)])
  const ending: Promise<unknown>[] = []
  if (heldBack !== undefined && waiting.length > 0) ending.push(runStep(client, heldBack.join(waiting)))
  ending.push(client.query('commit'))
  try {
    await settleAll(ending)
  } catch (error) {
    throw classify(error) === 'connection' ? toInDoubtFailure(error) : error
  }
  return { answers: answers ?? [], signals }
}

/** Starts all writes, each once those before it are done that it must not disturb. */
function inOrder<Write extends { readonly locks: Locks }, Result>(
  group: readonly Write[],
  start: (write: Write) => Promise<Result>,
): Promise<Result>[] {
  const alone = new Map<string, Promise<unknown>>()
  const others = new Map<string, Promise<unknown>[]>()
  return group.map((write) => {
    const { alone: mine = [], joint = [], shared = [] } = write.locks
    const ours = [...joint, ...shared]
    const before = [
      ...mine.flatMap((key) => [alone.get(key), ...(others.get(key) ?? [])]),
      ...ours.map((key) => alone.get(key)),
    ].filter((work) => work !== undefined)
    const work = before.length === 0 ? start(write) : settleAll(before).then(() => start(write))
    for (const key of mine) {
      alone.set(key, work)
      others.delete(key)
    }
    for (const key of ours) others.set(key, [...(others.get(key) ?? []), work])
    return work
  })
}
