// Named import, so that tests that fake the global timers do not hold up writes.
import { setTimeout } from 'node:timers'
import { Undo } from '@homeward/kit/sql'
import type { CloudSignal } from '../ports/cloud-signal.ts'
import type { Plan } from '../sql/plan.ts'
import type { Connections } from './connect.ts'
import { classify, InDoubtError, toStoreError } from './postgres-error.ts'
import type { RunStep } from './session.ts'
import { runPlan } from './session.ts'
import { begin } from './transaction.ts'
import { useConnection } from './use-connection.ts'

/** How often a transaction is made again when it got into the way of another one, and when its connection broke. */
const maxTries = { again: 8, connection: 2 }
const firstPauseMs = 4

/** How to write. */
export interface WriterOptions {
  readonly pool: Connections['pool']
  readonly runStep: RunStep
  /** Hears of what was written, once it was committed. */
  readonly tell: (signals: readonly CloudSignal[]) => void
  readonly random: () => number
}

/** Runs a plan in a transaction of its own; resolves when it is committed. `plan` may be started more than once. */
export type Write = <Result>(plan: () => Plan<Result>) => Promise<Result>

/** Makes a {@link Write}. What is in the way of another one is made again, and so is what never began. */
export function createWriter(options: WriterOptions): Write {
  return async (plan) => {
    for (let tries = 1; ; tries += 1) {
      try {
        return await commitAlone(options, plan)
      } catch (error) {
        if (error instanceof InDoubtError) options.tell([{ topic: 'missed' }])
        const failure = error instanceof InDoubtError ? 'other' : classify(error)
        const isPassing = failure === 'again' || failure === 'connection'
        if (!isPassing || tries >= maxTries[failure]) throw toStoreError(error, 'Writing to Postgres')
        await pause(firstPauseMs * 2 ** tries * (0.5 + options.random()))
      }
    }
  }
}

async function commitAlone<Result>(
  { pool, runStep, tell }: WriterOptions,
  plan: () => Plan<Result>,
): Promise<Result> {
  const signals: CloudSignal[] = []
  const result = await useConnection(pool, async (client) => {
    const began = client.query(begin)
    // Its failure is waited for below; until then nobody would hear of it.
    began.catch(() => {})
    try {
      const done = await runPlan(
        plan(),
        (step) => runStep(client, step),
        (signal) => void signals.push(signal),
      )
      await began
      await commit(client)
      return done
    } catch (error) {
      if (!(error instanceof Undo)) throw error
      await client.query('rollback')
      return error.result as Result // what the plan itself threw
    }
  })
  tell(signals)
  return result
}

async function commit(client: { query(text: string): Promise<unknown> }): Promise<void> {
  try {
    await client.query('commit')
  } catch (error) {
    throw classify(error) === 'connection' ? new InDoubtError(error) : error
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
