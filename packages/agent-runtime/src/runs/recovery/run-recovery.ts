import type { RunStatus } from '@homeward/contract/agent-platform'
import { yieldToEventLoop } from '../../concurrency/yield-to-event-loop.ts'
import type { StoredRun } from '../../store/ports/run-store.ts'
import { isResumable } from './is-resumable.ts'
import type { RunsContext } from '../runs-options.ts'
import { noteMissedRun, resumeWaiting, takeOver } from '../continue.ts'

/** Between looks for runs that nobody works on, in milliseconds. */
const lookEveryMs = 5000
/** Every so many looks also the runs that wait are looked at. */
const waitingEvery = 12
/** Runs that wait and are looked at without a turn of the event loop in between. */
const pageSize = 50
/** Runs that are taken over at a time. */
const takenAtOnce = 50

/** Looks after what nobody works on. */
export interface RunRecovery {
  /** Looks once; again when it failed. */
  recover(): Promise<void>
  /** Looks no more, and waits for a look under way. */
  close(): Promise<void>
}

/**
 * Finds runs that nobody works on: those whose process is gone, and those whose decisions were made, or whose sub-agents
 * ended, in a process that ended before it could go on with them. The first look is asked for; over a durable store more
 * follow by themselves.
 */
export function createRunRecovery(context: RunsContext): RunRecovery {
  const { hooks, live } = context
  const closing = context.closing.signal
  let recovered: Promise<void> | undefined
  let looking: Promise<unknown> | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let looks = 0

  async function takeOverAll(): Promise<void> {
    let taken = takenAtOnce
    while (taken === takenAtOnce && !closing.aborted) taken = await takeOver(context, takenAtOnce)
  }

  async function lookAtWaiting(): Promise<void> {
    for await (const run of listAll(context, 'waiting')) {
      if (closing.aborted) return
      if (!live.get(run.id) && (await isResumable(context, run))) void resumeWaiting(context, run.id)
    }
  }

  async function lookAtAll(): Promise<void> {
    await takeOverAll()
    await lookAtWaiting()
    plan()
  }

  function plan(): void {
    if (closing.aborted || !context.store.isDurable) return
    timer = setTimeout(onTime, lookEveryMs * (0.75 + context.random() / 2))
    timer.unref()
  }

  function onTime(): void {
    looks += 1
    looking = takeOverAll()
      .then(() => {
        const hasMissed = hooks.hasMissed ?? false
        hooks.hasMissed = false
        return hasMissed || looks % waitingEvery === 0 ? lookAtWaiting() : undefined
      })
      .catch((error: unknown) => {
        noteMissedRun(context)
        context.logger.error('Finding interrupted runs failed', { error: String(error) })
      })
      .finally(plan)
  }

  return {
    recover: () =>
      (recovered ??= lookAtAll().catch((error: unknown) => {
        recovered = undefined
        throw error
      })),
    async close() {
      clearTimeout(timer)
      await Promise.allSettled([recovered, looking])
      clearTimeout(timer)
    },
  }
}

/** A page is a turn: a store in this process never waits, and very many runs may. */
async function* listAll({ store }: RunsContext, status: RunStatus): AsyncGenerator<StoredRun> {
  let cursor: string | undefined
  do {
    const page = await store.listRuns({ status }, { limit: pageSize, cursor })
    yield* page.rows
    cursor = page.nextCursor
    if (cursor !== undefined) await yieldToEventLoop()
  } while (cursor !== undefined)
}
