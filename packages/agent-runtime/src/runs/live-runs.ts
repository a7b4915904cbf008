import type { RunResult } from '@homeward/contract/agent-platform'
import { RuntimeError } from '../runtime-error.ts'
import type { EventLog } from './event-log.ts'
import type { RunWatchers } from './run-watchers.ts'

/** A run that this process has taken on. */
export interface LiveRun {
  readonly id: string
  readonly controller: AbortController
  /** How the run stops here: ended, or waiting. Never rejects. */
  readonly result: Promise<RunResult | undefined>
  /** Present once its events are numbered. */
  log: EventLog | undefined
  /** Begins the work. `work` must not reject. */
  go(work: () => Promise<RunResult | undefined>): void
  /** Lets go of a run that did not become this process's. */
  discard(): void
}

/** The runs of this process. */
export interface LiveRuns {
  /** Takes a run on, before it is in the store: nobody can miss it. */
  take(id: string): LiveRun
  get(id: string): LiveRun | undefined
  /** Cancels all and waits until nothing runs. */
  close(): Promise<void>
}

export function createLiveRuns(watchers: RunWatchers): LiveRuns {
  const live = new Map<string, LiveRun>()

  function take(id: string): LiveRun {
    const { promise, resolve } = Promise.withResolvers<RunResult | undefined>()
    const end = (result: RunResult | undefined) => {
      if (live.get(id) === run) live.delete(id)
      resolve(result)
      watchers.ring(id)
    }
    const run: LiveRun = {
      id,
      controller: new AbortController(),
      result: promise,
      log: undefined,
      go: (work) => void work().then(end, () => end(undefined)),
      discard: () => end(undefined),
    }
    live.set(id, run)
    return run
  }

  return {
    take,
    get: (id) => live.get(id),
    async close() {
      const reason = new RuntimeError('cancelled', 'Running the agent: the runtime was closed')
      const all = [...live.values()]
      for (const { controller } of all) controller.abort(reason)
      await Promise.all(all.map(({ result }) => result))
    },
  }
}
