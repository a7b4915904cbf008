import type { Meter } from '@homeward/contract/handler'
import type { Backlog, WaitingCount } from '../store/ports/usage-store.ts'

/** What {@link createBacklogGauges} works with. */
export interface BacklogGaugesOptions {
  readonly meter: Meter
  readonly read: () => Promise<Backlog>
  readonly cacheMs: number
  readonly now: () => number
}

const subjects = {
  queue: { key: 'tasks', what: 'Queued tasks that are due' },
  outbox: { key: 'messages', what: 'Messages of chats whose answer is not delivered yet' },
  approvals: { key: 'approvals', what: 'Tool calls that wait for a person' },
} as const satisfies Record<string, { key: keyof Backlog; what: string }>

/** Gauges of what waits. The store is asked once for all of them, and not again while the answer is fresh. */
export function createBacklogGauges({ meter, read, cacheMs, now }: BacklogGaugesOptions): { close(): void } {
  let found: { readonly atMs: number; readonly backlog: Promise<Backlog> } | undefined
  let isClosed = false

  function backlog(): Promise<Backlog> {
    const atMs = now()
    if (!found || Math.abs(atMs - found.atMs) >= cacheMs) found = { atMs, backlog: read() }
    return found.backlog
  }

  for (const [name, { key, what }] of Object.entries(subjects)) {
    const observe = (toValue: (waiting: WaitingCount) => number) =>
      async function (result: { observe(value: number): void }): Promise<void> {
        if (isClosed) return
        // Not a number if the store fails: the value of before would say that all is well.
        const all = await backlog().catch(() => undefined)
        result.observe(all ? toValue(all[key]) : Number.NaN)
      }
    meter
      .createObservableGauge(`homeward.${name}.waiting`, {
        description: `${what}; at most 10,000 are counted.`,
        unit: '{item}',
      })
      .addCallback(observe(({ count }) => count))
    meter
      .createObservableGauge(`homeward.${name}.age`, {
        description: `${what}: how long the oldest of them has waited.`,
        unit: 's',
      })
      .addCallback(
        observe(({ oldestAt }) =>
          oldestAt === undefined ? 0 : Math.max(0, now() - Date.parse(oldestAt)) / 1000,
        ),
      )
  }
  return { close: () => void (isClosed = true) }
}
