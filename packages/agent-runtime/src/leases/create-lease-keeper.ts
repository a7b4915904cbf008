import { silentLogger, type Logger } from '../ports/logger.ts'
import type { Lease } from '../store/ports/lease.ts'
import type { RunStore } from '../store/ports/run-store.ts'
import type { TaskStore } from '../store/ports/task-store.ts'
import { reasonOf } from '../ports/reason-of.ts'

/** What a lease is for. */
type LeaseKind = 'run' | 'task'

/** Told once when something is not ours any more, or shall be cancelled. Must not throw. */
type LeaseListener = (why: 'lost' | 'cancel') => void

/** Keeps the leases of everything that this process works on. */
export interface LeaseKeeper {
  /** Unique to this start of this process. */
  readonly owner: string
  /** How long a lease lasts without being renewed, in milliseconds. */
  readonly leaseMs: number
  /** A lease from now on. */
  lease(): Lease
  /**
   * Renews the lease of something that was just taken, until it is let go. `lost` is told when somebody else has it, or
   * when it could not be renewed in time.
   *
   * @returns lets go; safe to call twice.
   */
  hold(kind: LeaseKind, id: string, onLost: LeaseListener): () => void
  /**
   * Whether what is held is surely still ours. After a pause of the process it is not, until leases were renewed: ask
   * before doing what must not be done by two.
   */
  isFresh(): boolean
  /** Renews all leases now. Never rejects. */
  renew(): Promise<void>
  /** Renews no more. What is held is neither told nor given back. */
  close(): void
}

/** What {@link createLeaseKeeper} is built from. */
interface LeaseKeeperOptions {
  readonly store: Pick<RunStore, 'renewRuns'> & Partial<Pick<TaskStore, 'renewTasks'>>
  /** @default crypto.randomUUID() */
  readonly owner?: string
  /** Milliseconds, at least 1000. @default 20000 */
  readonly leaseMs?: number
  /** @default Date.now */
  readonly now?: () => number
  /** @default silent */
  readonly logger?: Logger
}

interface Held {
  readonly onLost: LeaseListener
  /** Milliseconds since the epoch. */
  untilMs: number
  isCancelled: boolean
}

/** Share of a lease after which it is renewed. */
const renewShare = 4

/**
 * Builds the keeper of a process's leases: one timer for all of them.
 *
 * @example
 * const leases = createLeaseKeeper({ store })
 * const [run] = await store.claimRuns({ lease: leases.lease(), now, limit: 1 })
 * const release = leases.hold('run', run.id, () => controller.abort())
 */
export function createLeaseKeeper(options: LeaseKeeperOptions): LeaseKeeper {
  const {
    store,
    owner = crypto.randomUUID(),
    leaseMs = 20_000,
    now = Date.now,
    logger = silentLogger,
  } = options
  const held: Readonly<Record<LeaseKind, Map<string, Held>>> = { run: new Map(), task: new Map() }
  let timer: ReturnType<typeof setTimeout> | undefined
  let renewing: Promise<void> | undefined
  let isClosed = false
  /** Until when all that was held at the last renewal is ours. */
  let freshUntilMs = Number.NEGATIVE_INFINITY

  let lastUntilMs = Number.POSITIVE_INFINITY

  const lease = (): Lease => {
    lastUntilMs = now() + leaseMs
    return { owner, until: new Date(lastUntilMs).toISOString() }
  }

  function plan(): void {
    // the next that is held begins anew
    if (timer !== undefined || isClosed || (held.run.size === 0 && held.task.size === 0)) return
    timer = setTimeout(onTime, leaseMs / renewShare)
    timer.unref()
  }

  function onTime(): void {
    timer = undefined
    void renew().then(plan)
  }

  const renew = async () => {
    if (!isClosed) await (renewing ??= renewAll().finally(() => (renewing = undefined)))
  }

  async function renewAll(): Promise<void> {
    const untilMs = now() + leaseMs
    const results = await Promise.all([renewKind('run', untilMs), renewKind('task', untilMs)])
    if (results.every(Boolean)) freshUntilMs = untilMs
  }

  /** @returns false when the store could not be asked. */
  async function renewKind(kind: LeaseKind, untilMs: number): Promise<boolean> {
    const ids = [...held[kind].keys()]
    if (ids.length === 0) return true
    const asked = new Map(ids.map((id) => [id, held[kind].get(id)]))
    try {
      const wanted = { owner, until: new Date(untilMs).toISOString() }
      const answer = await (kind === 'run'
        ? store.renewRuns(wanted, ids)
        : (store.renewTasks?.(wanted, ids) ?? { held: ids, cancelRequested: [] }))
      settle(held[kind], asked, untilMs, answer)
      return true
    } catch (error) {
      logger.error('Renewing leases failed.', { kind, reason: reasonOf(error) })
      giveUpLate(held[kind], now())
      return false
    }
  }

  return {
    owner,
    leaseMs,
    lease,
    hold(kind, id, onLost) {
      // what was taken was given the lease of a moment ago
      const untilMs = Math.min(now() + leaseMs, lastUntilMs)
      const entry: Held = { onLost, untilMs, isCancelled: false }
      if (held.run.size === 0 && held.task.size === 0) freshUntilMs = untilMs
      held[kind].set(id, entry)
      plan()
      return () => {
        if (held[kind].get(id) === entry) held[kind].delete(id)
        if (held.run.size > 0 || held.task.size > 0) return
        clearTimeout(timer)
        timer = undefined
      }
    },
    isFresh: () => now() < freshUntilMs,
    renew,
    close() {
      isClosed = true
      clearTimeout(timer)
      timer = undefined
    },
  }
}

function settle(
  entries: Map<string, Held>,
  asked: ReadonlyMap<string, Held | undefined>,
  untilMs: number,
  answer: { readonly held: readonly string[]; readonly cancelRequested: readonly string[] },
): void {
  const ours = new Set(answer.held)
  for (const [id, entry] of asked) {
    // let go, or let go and taken again, while the store was asked
    if (!entry || entries.get(id) !== entry) continue
    if (ours.has(id)) entry.untilMs = untilMs
    else lose(entries, id, entry)
  }
  for (const id of answer.cancelRequested) {
    const entry = entries.get(id)
    if (!entry || entry.isCancelled) continue
    entry.isCancelled = true
    entry.onLost('cancel')
  }
}

/** Without an answer of the store a lease is over when its time is: somebody else may have it. */
function giveUpLate(entries: Map<string, Held>, nowMs: number): void {
  for (const [id, entry] of entries) if (entry.untilMs <= nowMs) lose(entries, id, entry)
}

/** Not logged here: what has just ended looks lost for a moment, and only who works on it knows which it is. */
function lose(entries: Map<string, Held>, id: string, entry: Held): void {
  entries.delete(id)
  entry.onLost('lost')
}
