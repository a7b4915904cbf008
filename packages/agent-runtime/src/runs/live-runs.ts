import type { GraphRunResult, RunResult } from '@homeward/contract/agent-platform'
import type { LeaseKeeper } from '../leases/create-lease-keeper.ts'
import type { Logger } from '../ports/logger.ts'
import type { NewRun } from '../store/ports/run-store.ts'
import { RuntimeError } from '../ports/runtime-error.ts'
import type { EventLog, RunWatchers } from './events/event-log.ts'
import { cancelled, isGivenUp, LostRun, runGoesOn } from './run-interrupts.ts'
import type { LiveView } from './trace/run-view.ts'

/** How a run stopped in this process. */
export type LiveEnd =
  /** It ended, or waits. Without a result the store knows more: it was not this process's. */
  | {
      readonly kind: 'stopped'
      readonly result: RunResult | GraphRunResult | undefined
      /** @default false: it has ended */
      readonly isWaiting?: boolean
      /** Whether the store knows it too. @default true */
      readonly isKept?: boolean
    }
  /** Another process has it. */
  | { readonly kind: 'lost' }
  /** It goes on later: this process shuts down. */
  | { readonly kind: 'given-back' }

/** A run that this process has taken on. */
export interface LiveRun {
  readonly id: string
  readonly controller: AbortController
  /** How the run stops here. Never rejects. */
  readonly end: Promise<LiveEnd>
  /** Present once it is known. */
  run: NewRun | undefined
  /** Present once its events are numbered. */
  log: EventLog | undefined
  /** What this process knows of it; absent before its work begins, and for graphs. */
  view?: (() => LiveView) | undefined
  /** Whether its tools are at work: they get some time to end when the process shuts down. */
  inCalls: boolean
  /** Whether it has to stop as soon as its tools have ended. */
  isLeaving: boolean
  /** Whether something that it may wait for has come while it was under way. */
  hasNews: boolean
  /** Whether it may have messages that its model has not read. */
  hasInputs: boolean
  /** Told of a message to it; absent before its work begins, and for graphs. */
  onInput?: () => void
  /** Renews its lease from now on: the store has it under this process's name. */
  hold(): void
  /** Begins the work. `work` must not reject. */
  go(work: () => Promise<LiveEnd>): void
  /** Lets go of a run that did not become this process's. */
  discard(): void
}

/** The runs of this process. */
export interface LiveRuns {
  /** Takes a run on, before it is in the store: nobody can miss it. */
  take(id: string): LiveRun
  get(id: string): LiveRun | undefined
  /** Cancels all and waits until nothing runs. */
  cancelAll(): Promise<void>
  /**
   * Stops all, so that they go on later: tools at work get `graceMs`, everything else stops at once. Waits until nothing
   * runs.
   *
   * @returns ids of those that have not ended.
   */
  giveBackAll(graceMs: number): Promise<string[]>
}

export function createLiveRuns(
  watchers: RunWatchers,
  { leases, logger }: { readonly leases: LeaseKeeper; readonly logger: Logger },
): LiveRuns {
  const live = new Map<string, LiveRun>()

  function take(id: string): LiveRun {
    const { promise, resolve } = Promise.withResolvers<LiveEnd>()
    const controller = new AbortController()
    let letGo: (() => void) | undefined
    const end = (how: LiveEnd) => {
      letGo?.()
      if (live.get(id) === own) live.delete(id)
      if (how.kind !== 'stopped') own.log?.drop()
      if (how.kind === 'lost')
        logger.warn('Another process took over a run while it was running here.', { runId: id })
      resolve(how)
      watchers.notify(id)
    }
    const own: LiveRun = {
      id,
      controller,
      end: promise,
      run: undefined,
      log: undefined,
      inCalls: false,
      isLeaving: false,
      hasNews: false,
      hasInputs: false,
      hold() {
        const onLost = (why: 'lost' | 'cancel') =>
          controller.abort(why === 'lost' ? new LostRun('Another process has the run') : cancelled())
        letGo = leases.hold('run', id, onLost)
      },
      go: (work) => void work().then(end, () => end(endOf(controller.signal))),
      discard: () => end({ kind: 'stopped', result: undefined }),
    }
    live.set(id, own)
    return own
  }

  return {
    take,
    get: (id) => live.get(id),
    async cancelAll() {
      const reason = new RuntimeError(
        'cancelled',
        'Running the agent failed: the runtime was closed. Create another one.',
      )
      const all = [...live.values()]
      for (const { controller } of all) controller.abort(reason)
      await Promise.all(all.map(({ end }) => end))
    },
    async giveBackAll(graceMs) {
      const all = [...live.values()]
      const reason = runGoesOn()
      for (const own of all) {
        own.isLeaving = true
        if (!own.inCalls) own.controller.abort(reason)
      }
      const timer = setTimeout(() => all.forEach(({ controller }) => controller.abort(reason)), graceMs)
      const ends = await Promise.all(all.map(async ({ id, end }) => ({ id, kind: (await end).kind })))
      clearTimeout(timer)
      return ends.filter(({ kind }) => kind === 'given-back').map(({ id }) => id)
    },
  }
}

/** How a run stops whose signal has aborted. */
export function endOf({ aborted, reason }: AbortSignal): LiveEnd {
  if (!aborted || !isGivenUp(reason)) return { kind: 'stopped', result: undefined }
  return { kind: reason instanceof LostRun ? 'lost' : 'given-back' }
}
