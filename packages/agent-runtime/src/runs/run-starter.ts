import type { StoredRun } from '../store/ports/run-store.ts'
import type { RuntimeError } from '../ports/runtime-error.ts'
import { whileStoreFails } from '../concurrency/while-store-fails.ts'
import { isResumable } from './recovery/is-resumable.ts'
import { cancelled } from './drive-run.ts'
import { LostRun } from './run-interrupts.ts'
import { endStored, resumeRun } from './recovery/resume-run.ts'
import type { LiveEnd, LiveRun } from './live-runs.ts'
import type { EndedRun } from './runs.ts'
import type { RunsContext } from './runs-options.ts'
import type { RunsParts } from './runs-parts.ts'

/** Begins the work of runs in this process, and goes on with runs that wait or that nobody works on. */
export interface RunStarter {
  /** Begins the work of a run that is this process's. */
  begin(own: LiveRun, run: EndedRun, work: () => Promise<LiveEnd>): void
  /** Lets a waiting run go on that has nothing to wait for. Does nothing when somebody else does, or when it waits. */
  resume(runId: string, reason?: RuntimeError): Promise<LiveEnd>
  /** Goes on with runs whose lease is over. @returns how many. */
  takeOver(limit: number, id?: string): Promise<number>
  /** Ends a run that waits. */
  cancelWaiting(run: StoredRun): Promise<void>
  /** Says that a run may wait that was to go on: the store failed at the wrong moment. */
  noteMissed(): void
  /** Whether that was so since it was last asked. */
  takeMissed(): boolean
}

export function createRunStarter(parts: RunsParts): RunStarter {
  const { context, live, closing } = parts
  const { store, leases } = context
  const { noteMissed, takeMissed } = createMissed()

  function begin(own: LiveRun, run: EndedRun, work: () => Promise<LiveEnd>): void {
    own.go(async () => {
      const end = await work()
      if (end.kind !== 'stopped' || end.isKept === false) return end
      if (end.result && !end.isWaiting) tellEnded(own.run ?? run)
      // once it is not under way any more; what comes before that counts
      else void own.end.then(() => goOnBehind(own))
      return end
    })
  }

  /** Lets a run that waits go on with what came while it was about to. */
  async function goOnBehind(own: LiveRun): Promise<void> {
    if (own.hasNews || (await hasGraphNews(context, own).catch(noteMissed))) await resume(own.id)
  }

  function tellEnded(run: EndedRun): void {
    parts.onEnded(run)
    if (run.parentRunId === undefined || closing.aborted) return
    const parent = live.get(run.parentRunId)
    // a graph that waits is looked at anyway: nearly always it knows of the node already
    if (parent) parent.hasNews ||= parent.run?.kind !== 'graph'
    else void resume(run.parentRunId)
  }

  function resume(runId: string, reason?: RuntimeError): Promise<LiveEnd> {
    const known = live.get(runId)
    if (known) {
      known.hasNews = true // it may be about to wait, or found a moment ago that it has to
      return known.end
    }
    if (closing.aborted) return Promise.resolve({ kind: 'stopped', result: undefined })
    const own = live.take(runId)
    if (reason) own.controller.abort(reason)
    let isOurs = false
    begin(own, { id: runId }, async () => {
      isOurs = await store.resumeRun(runId, leases.lease()).catch((error: unknown) => {
        noteMissed()
        throw error
      })
      if (!isOurs) return { kind: 'stopped', result: undefined }
      own.hold()
      const run = await whileStoreFails(context, () => store.findRun(runId), own.controller.signal)
      if (run?.cancelRequested) own.controller.abort(cancelled())
      return run ? resumeRun(parts, run, own, false, tellParent) : { kind: 'stopped', result: undefined }
    })
    return own.end
  }

  async function takeOver(limit: number, id?: string): Promise<number> {
    // After a pause what is held here looks left too: it is renewed first, or known to be lost.
    if (!leases.isFresh()) await leases.renew()
    const claim = { lease: leases.lease(), now: context.timestamp(), limit }
    const runs = await store.claimRuns(id === undefined ? claim : { ...claim, id })
    for (const run of runs) {
      const before = live.get(run.id)
      before?.controller.abort(new LostRun('The lease of the run has expired'))
      const own = live.take(run.id)
      own.hold()
      if (run.cancelRequested) own.controller.abort(cancelled())
      else if (closing.aborted) own.controller.abort(new LostRun('The runtime was closed'))
      begin(own, run, async () => {
        await before?.end
        return resumeRun(parts, run, own, true, tellParent)
      })
    }
    return runs.length
  }

  /**
   * A run that waits once more tells the one that waits for it: that goes on for a moment, to show what people are asked
   * now.
   */
  async function tellParent(runId: string | undefined): Promise<void> {
    const parent = runId === undefined ? undefined : await store.findRun(runId).catch(noteMissed)
    if (parent?.status === 'waiting') await resume(parent.id)
  }

  return {
    begin,
    resume,
    takeOver,
    noteMissed,
    takeMissed,
    async cancelWaiting(run) {
      if (run.kind === 'graph') {
        // its driver cancels what it has started
        await resume(run.id, cancelled())
        return
      }
      const result = await endStored(parts, run, { stop: 'cancelled', error: cancelled() }, undefined, false)
      if (result) tellEnded(run)
    },
  }
}

/** Whether a node has ended in another process, which saw the graph still at work. */
async function hasGraphNews(context: RunsContext, { id, run }: LiveRun): Promise<boolean> {
  const graph = run?.kind === 'graph' ? await context.store.findRun(id) : undefined
  return graph?.status === 'waiting' && isResumable(context, graph)
}

function createMissed() {
  let hasMissed = false
  return {
    noteMissed(): undefined {
      hasMissed = true
    },
    takeMissed() {
      const was = hasMissed
      hasMissed = false
      return was
    },
  }
}
