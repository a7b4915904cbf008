import type { Pool, PoolClient } from 'pg'
import type { Step } from '@homeward/kit/sql'
import type { StoreSignal } from '../ports/store-signal.ts'
import { RuntimeError } from '../../ports/runtime-error.ts'
import { isHeldBack, toJournalInsert } from './journal-plans.ts'
import type { Locks } from './locks.ts'
import { toBegin } from './locks.ts'
import { classify } from './postgres-error.ts'
import type { NameOf, RunStep } from './session.ts'
import { createRunStep, settleAll } from './session.ts'

/** A write that shares a transaction with others. */
export interface GroupWrite {
  readonly locks: Locks
  /** Runs the plan and gives the call that answers it, to be made once the transaction is committed. */
  run(runStep: RunStep, tell: (signal: StoreSignal) => void): Promise<() => void>
}

/** The connection broke while a transaction was committed: it must not be made again, for it may be there. */
export class CommitInDoubtError extends RuntimeError {
  constructor(cause: unknown) {
    const message =
      'Writing to Postgres failed: the connection broke at the last moment. Whether the change was kept is not known; ' +
      'look, or make it again.'
    super('storage_error', message, { cause, retryable: true })
  }
}

/** What a transaction came to. */
export interface Committed {
  readonly answers: readonly (() => void)[]
  readonly signals: readonly StoreSignal[]
}

/**
 * Runs writes in one transaction: all at once, but those that want the same lock one after the other. Journal events
 * go in at the very end, together with the commit.
 *
 * @throws {unknown} what failed; nothing is kept then.
 */
export async function commitGroup(
  { pool, schema, nameOf }: { readonly pool: Pool; readonly schema: string; readonly nameOf: NameOf },
  group: readonly GroupWrite[],
): Promise<Committed> {
  const client = await pool.connect()
  try {
    const committed = await runTogether(client, schema, createRunStep(client, nameOf), group)
    client.release()
    return committed
  } catch (error) {
    await undo(client, error)
    throw error
  }
}

async function runTogether(
  client: PoolClient,
  schema: string,
  run: RunStep,
  group: readonly GroupWrite[],
): Promise<Committed> {
  const signals: StoreSignal[] = []
  const heldBack: (readonly unknown[])[] = []
  const runStep = async (step: Step): Promise<readonly unknown[]> => {
    if (!isHeldBack(step)) return run(step)
    heldBack.push(...step.parameterLists)
    return [step.parameterLists.length]
  }
  const began = client.query(
    toBegin(
      schema,
      group.map(({ locks }) => locks),
    ),
  )
  const works = inOrder(group, (write) => write.run(runStep, (signal) => void signals.push(signal)))
  // How it began comes first: when its locks were not had, that is why the writes behind it failed.
  const [, answers] = await settleAll([began.then(() => []), settleAll(works)])
  const ending = [
    ...(heldBack.length > 0 ? [run(toJournalInsert(heldBack))] : []),
    client.query('commit').then(() => []),
  ]
  try {
    await settleAll(ending)
  } catch (error) {
    throw classify(error) === 'connection' ? new CommitInDoubtError(error) : error
  }
  return { answers: answers ?? [], signals }
}

/** Starts all writes, each once those before it are done that it must not disturb. */
function inOrder<Result>(
  group: readonly GroupWrite[],
  start: (write: GroupWrite) => Promise<Result>,
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

async function undo(client: PoolClient, error: unknown): Promise<void> {
  if (classify(error) === 'other' || classify(error) === 'conflict') {
    const undone = await client.query('rollback').then(
      () => true,
      () => false,
    )
    if (undone) return client.release()
  }
  // What its state is nobody knows.
  client.release(true)
}
