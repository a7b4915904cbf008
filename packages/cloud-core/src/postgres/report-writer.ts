// Named import, so that tests that fake the global timers do not hold up reports.
import { setImmediate } from 'node:timers'
import {
  begin,
  classify,
  type Connections,
  runPlan,
  type RunStep,
  settleAll,
  toInDoubtFailure,
  toPostgresFailure,
  useConnection,
} from '@homeward/kit/postgres'
import type { Plan } from '../sql/plan.ts'

/** Reports in one transaction at the most. */
const maxGroup = 64
/** How often a report is made again that got into the way of another transaction. */
const maxTries = 8
const attempt = 'Writing to Postgres'

/** What a device reports. */
interface Report {
  /** What it settles. */
  readonly id: string
  readonly signal: AbortSignal | undefined
  tries: number
  /** Runs the plan and gives the call that answers it, to be made once it is committed. */
  run(runStep: (step: Parameters<RunStep>[1]) => ReturnType<RunStep>): Promise<() => void>
  refuse(error: unknown): void
}

/** How to write reports. */
interface ReportWriterOptions {
  readonly pool: Connections['pool']
  readonly runStep: RunStep
  /** Transactions at the same time. */
  readonly lanes: number
}

/** Writes what devices report. */
interface ReportWriter {
  /** Runs a plan whose every step is whole by itself: one statement that decides and writes. */
  write<Result>(id: string, plan: () => Plan<Result>, signal?: AbortSignal): Promise<Result>
}

/**
 * A report is one statement, and alone it is sent as that: one round trip, one commit. Under load those that wait go
 * together, and share the commit. They go in the order of what they settle, or two groups that settle the same would
 * wait for each other.
 */
export function createReportWriter({ pool, runStep, lanes }: ReportWriterOptions): ReportWriter {
  const queue: Report[] = []
  let busy = 0
  let isScheduled = false

  const pump = () => {
    isScheduled = false
    while (busy < lanes && queue.length > 0) {
      const group = takeLive(queue.splice(0, maxGroup))
      if (group.length === 0) continue
      busy += 1
      void commit(group).finally(() => {
        busy -= 1
        pump()
      })
    }
  }
  const schedule = () => {
    if (!isScheduled) setImmediate(pump)
    isScheduled = true
  }

  const commit = async (group: readonly Report[]): Promise<void> => {
    let isSent = false
    try {
      for (const answer of await runTogether(group, () => (isSent = true))) answer()
    } catch (error) {
      await goOn(group, error, isSent)
    }
  }
  const runTogether = (group: readonly Report[], sending: () => void) =>
    useConnection(pool, async (client) => {
      sending()
      const isAlone = group.length === 1
      if (!isAlone) client.query(begin).catch(() => {})
      const answers = await settleAll(group.map((report) => report.run((step) => runStep(client, step))))
      if (!isAlone) await client.query('commit')
      return answers
    })
  const goOn = async (group: readonly Report[], error: unknown, isSent: boolean): Promise<void> => {
    const failure = classify(error)
    for (const report of group) {
      report.tries += 1
      // Any of them may have been kept: the connection broke after they were sent.
      if (failure === 'connection' && isSent) report.refuse(toInDoubtFailure(error))
      // Without a connection for several there is none for each of them.
      else if (failure === 'connection') report.refuse(toPostgresFailure(error, attempt))
      // One of several took the others along: each once more, alone.
      else if (group.length > 1 || (failure === 'again' && report.tries < maxTries)) await commit([report])
      else report.refuse(toPostgresFailure(error, attempt))
    }
  }

  return {
    write: <Result>(id: string, plan: () => Plan<Result>, signal?: AbortSignal) =>
      new Promise<Result>((resolve, reject) => {
        const run: Report['run'] = async (runOne) => {
          const result = await runPlan(plan(), runOne, () => {})
          return () => resolve(result)
        }
        queue.push({ id, signal, tries: 0, run, refuse: reject })
        schedule()
      }),
  }
}

function takeLive(group: readonly Report[]): readonly Report[] {
  const live = group.filter(({ signal, refuse }) => {
    if (signal?.aborted === true) refuse(signal.reason)
    return signal?.aborted !== true
  })
  return live.toSorted((a, b) => (a.id < b.id ? -1 : 1))
}
