import type { Agent } from '@homeward/contract/agent-platform'
import { createAutoResetEvent } from '@homeward/kit'
import { backgroundTimers } from '@homeward/kit/node'
import type { Logger } from '../ports/logger.ts'
import { reasonOf } from '../ports/reason-of.ts'
import { createRunPlayer, type KeepModelCalls, type RunPlayer } from '../runs/play-run.ts'
import type { RunsOptions } from '../runs/runs-options.ts'
import type { RuntimeStore } from '../store/ports/runtime-store.ts'
import type { ClaimedWhatIf } from '../store/ports/what-if-store.ts'
import { createWhatIfs, type WhatIfs } from './create-what-ifs.ts'

/** Dependencies of {@link openWhatIfs}. */
interface WhatIfWork {
  readonly store: RuntimeStore
  readonly runs: RunsOptions
  readonly findAgent: (id: string) => Promise<Agent | undefined>
  /** Whether this process plays runs. */
  readonly works: boolean
  readonly owner: string
  readonly leaseMs?: number
  readonly logger: Logger
  readonly now: () => number
  readonly createId: () => string
}

/** How often a store that other processes write to is looked at, in milliseconds. */
const lookMs = 10_000
/** Processes that may end while they play the same run, before it counts as failed. */
const maxAttempts = 5

/** The service of what-ifs, and the worker that plays their runs one after the other. */
export function openWhatIfs(work: WhatIfWork): {
  readonly whatIfs: WhatIfs
  start(): void
  /** Leaves what is under way to the next process. */
  close(): Promise<void>
} {
  const { store, works, owner, leaseMs = 20_000, logger, now, createId, findAgent } = work
  const closing = new AbortController()
  const { signal } = closing
  const wake = createAutoResetEvent(backgroundTimers)
  let listeners: (() => void)[] = []
  let running: Promise<void> | undefined
  const timeAt = (ms: number) => new Date(ms).toISOString()
  const until = () => timeAt(now() + leaseMs)

  /** Plays what is left of a what-if. */
  async function finish(whatIf: ClaimedWhatIf, player: RunPlayer): Promise<void> {
    const { id, agent, changes, runIds } = whatIf
    const lost = new AbortController()
    const own = AbortSignal.any([signal, lost.signal])
    const timer = setInterval(
      () =>
        void store.saveWhatIf({ id, owner, until: until() }).then(
          (isOwn) => isOwn || lost.abort(new Error('another process works on the what-if')),
          (error: unknown) => logger.warn('Saving a what-if failed. Retrying.', { reason: reasonOf(error) }),
        ),
      Math.floor(leaseMs / 3),
    )
    try {
      const runs = [...whatIf.runs]
      for (const runId of runIds.slice(runs.length)) {
        const isStuck = runs.length === whatIf.runs.length && whatIf.attempts > maxAttempts
        const run = isStuck
          ? stuck(runId)
          : await player.play(agent, new Set(Object.keys(changes)), runId, own)
        runs.push(run)
        if (!(await store.saveWhatIf({ id, owner, until: until(), run }, own))) return
        tell()
      }
      const status = runs.every(({ verdict }) => verdict === 'failed') ? 'failed' : 'completed'
      await store.saveWhatIf({ id, owner, until: until(), status }, own)
      tell()
    } finally {
      clearInterval(timer)
    }
  }

  function tell(): void {
    const told = listeners
    listeners = []
    for (const listener of told) listener()
  }

  /** Plays what there is. @returns when nothing is left */
  async function round(): Promise<void> {
    for (;;) {
      const claimed = await store.claimWhatIf({ owner, now: timeAt(now()), until: until() }, signal)
      if (!claimed) return
      const { createSqliteStore } = await import('../store/sqlite/create-sqlite-store.ts')
      const scratch = createSqliteStore({ path: ':memory:' })
      try {
        await finish(claimed, createRunPlayer(work.runs, scratch, keepCallsOf(store, claimed.id)))
      } finally {
        await scratch.close()
      }
    }
  }

  async function run(): Promise<void> {
    while (!signal.aborted) {
      await round().catch((error: unknown) => {
        if (!signal.aborted) logger.warn('Replaying a what-if failed. Retrying.', { reason: reasonOf(error) })
      })
      await wake.wait(store.isDurable ? Math.min(lookMs, leaseMs) : Infinity, signal)
    }
  }

  const start = () => void (running ??= run())
  const onStart = () => {
    if (!works) return
    start()
    wake.set()
  }
  const onPlayed = () => new Promise<void>((resolve) => void listeners.push(resolve))
  return {
    whatIfs: createWhatIfs({ store, findAgent, onStart, onPlayed, now, createId }),
    start,
    async close() {
      closing.abort(new Error('the runtime closes'))
      await running
      tell()
    },
  }
}

/** Adds model calls to the journal as those of the what-if: they belong to neither a run nor its user. */
const keepCallsOf =
  (store: Pick<RuntimeStore, 'appendEvents'>, whatIfId: string): KeepModelCalls =>
  (events) =>
    store.appendEvents(
      events.map(({ type, timestamp, data }) => {
        const { user_id: _, ...others } = data
        return { type, timestamp, data: { ...others, what_if: whatIfId } }
      }),
    )

const stuck = (runId: string) => ({
  run_id: runId,
  verdict: 'failed' as const,
  calls: { added: 0, removed: 0, changed: 0 },
  output: '',
  output_before: '',
  reason: `The server stopped ${maxAttempts} times while it played this run.`,
})
