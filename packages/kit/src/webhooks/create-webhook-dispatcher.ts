import type { Timers } from '../waiting/timers.ts'
import { attemptDelivery, responseTimeoutMs, type AttemptSetup } from './attempt-delivery.ts'
import type { DeliveryAttempt, DeliveryStore, DueDelivery, NewWebhookEvent } from './webhook-store.ts'

/** How often the store is asked while some webhook is enabled, and while none is, in milliseconds. */
const busyEveryMs = 1000
const idleEveryMs = 5000
/** How long a process has to itself what it claimed: longer than an attempt takes. */
const claimMs = responseTimeoutMs + 15_000
/**
 * Attempts at a time, in one process: altogether, and for each webhook. A user has at most 20 webhooks: one whose receivers
 * all hang leaves most of them to others.
 */
const maxAttempts = 256
const maxPerWebhook = 4
const pruneEveryMs = 60_000
/** How much is kept of what ended: for each webhook, and for how long. */
const maxEnded = 1000
const keepEndedMs = 30 * 24 * 60 * 60 * 1000
const maxPending = 10_000

/** Options of {@link createWebhookDispatcher}. */
export interface WebhookDispatcherOptions extends Omit<AttemptSetup, 'signal'> {
  /** Store of webhooks and their deliveries. */
  readonly store: DeliveryStore
  /** Timers for retries and for checks of the store. */
  readonly timers: Timers
  /** Receives failures of the store. */
  readonly onError: (error: unknown) => void
}

/** Delivers events to webhooks. */
export interface WebhookDispatcher {
  /** Starts deliveries. Further calls do nothing. */
  start(): void
  /** Checks the store soon, because a webhook was changed. */
  wake(): void
  /** Checks the store soon if a webhook is enabled, because an event was stored. Otherwise does nothing. */
  nudge(): void
  /** Whether an enabled webhook subscribed to this type, at the last check of the store. */
  wants(type: string): boolean
  /** Stores events that are not part of another transaction. Never rejects. */
  add(events: readonly NewWebhookEvent[]): Promise<void>
  /** Sends one delivery now and records its outcome. A failed delivery is not retried. */
  attempt(due: DueDelivery): Promise<DeliveryAttempt>
  /**
   * Sends a test event to a webhook.
   *
   * @returns undefined if four tests of the webhook are already running in this process
   */
  test<Result>(webhookId: string, run: () => Promise<Result>): Promise<Result> | undefined
  /** Aborts running attempts. Their deliveries are due again at once. */
  close(): Promise<void>
}

/**
 * Creates a dispatcher that delivers events to webhooks at least once.
 *
 * Any number of processes may share a store: each delivery is claimed by one process for a limited time. If that
 * process ends, another process sends the delivery after that time.
 *
 * @example
 * const dispatcher = createWebhookDispatcher({ store, sender, timers, now: Date.now, random: Math.random, reveal, onError })
 * dispatcher.start()
 */
export function createWebhookDispatcher(setup: WebhookDispatcherOptions): WebhookDispatcher {
  const { store, timers, onError } = setup
  const closing = new AbortController()
  const attempts = createAttempts(setup, closing.signal)
  const tests = createTestLimit(maxPerWebhook)
  let wanted: ReadonlySet<string> = new Set()
  let askedMs = Number.NEGATIVE_INFINITY
  let prunedMs = setup.now()
  let timer: unknown
  let dueMs = Number.POSITIVE_INFINITY
  let looking: Promise<void> | undefined
  let isStarted = false

  async function look(): Promise<void> {
    const nowMs = setup.now()
    if (Math.abs(nowMs - askedMs) >= idleEveryMs) {
      askedMs = nowMs
      wanted = new Set(await store.listWebhookTypes(closing.signal))
    }
    if (wanted.size > 0) await attempts.begin(() => later(1))
    if (wanted.size === 0 || Math.abs(nowMs - prunedMs) < pruneEveryMs) return
    prunedMs = nowMs
    const before = toText(nowMs - keepEndedMs)
    await store.pruneDeliveries({ before, maxEnded, maxPending }, closing.signal)
  }

  function run(): void {
    timer = undefined
    dueMs = Number.POSITIVE_INFINITY
    if (closing.signal.aborted) return
    if (looking !== undefined) return later(busyEveryMs / 10)
    looking = look()
      .catch((error: unknown) => {
        if (!closing.signal.aborted) onError(error)
      })
      .finally(() => {
        looking = undefined
        later(wanted.size > 0 ? busyEveryMs : idleEveryMs)
      })
  }

  /** Looks after so many milliseconds, or before. */
  function later(ms: number): void {
    if (!isStarted || closing.signal.aborted) return
    const atMs = Date.now() + ms
    if (timer !== undefined && dueMs <= atMs) return
    timers.clearTimeout(timer)
    dueMs = atMs
    timer = timers.setTimeout(run, ms)
  }

  return {
    start() {
      if (isStarted) return
      isStarted = true
      later(0)
    },
    wake() {
      askedMs = Number.NEGATIVE_INFINITY
      later(0)
    },
    nudge() {
      if (wanted.size > 0) later(20)
    },
    wants: (type) => wanted.has(type),
    async add(events) {
      const some = events.filter(({ type }) => wanted.has(type))
      if (some.length === 0) return
      await store.addWebhookEvents(some).then(() => later(0), onError)
    },
    attempt: (due) => attempts.send(due, 'once'),
    test: tests.run,
    async close() {
      timers.clearTimeout(timer)
      closing.abort(new Error('The server stops'))
      await looking
      await attempts.ended()
    },
  }
}

/** The attempts that are under way. */
function createAttempts(setup: WebhookDispatcherOptions, signal: AbortSignal) {
  const { store, now, onError } = setup
  const underWay = new Set<Promise<void>>()
  const busy = new Map<string, number>()

  async function send(due: DueDelivery, times?: 'once'): Promise<DeliveryAttempt> {
    const made = await attemptDelivery(due, { ...setup, signal })
    const isOver = times === 'once' && made.status === 'pending'
    const attempt: DeliveryAttempt = isOver ? { ...made, status: 'failed', nextAt: null } : made
    await store.recordAttempt(attempt)
    return attempt
  }

  function track(due: DueDelivery, onEnd: () => void): void {
    const { id } = due.webhook
    busy.set(id, (busy.get(id) ?? 0) + 1)
    const work = send(due)
      .then(() => undefined, onError)
      .then(() => {
        const left = (busy.get(id) ?? 1) - 1
        if (left > 0) busy.set(id, left)
        else busy.delete(id)
        underWay.delete(work)
        onEnd()
      })
    underWay.add(work)
  }

  return {
    send,
    async begin(onEnd: () => void): Promise<void> {
      const limit = maxAttempts - underWay.size
      if (limit <= 0) return
      const nowMs = now()
      const due = await store.claimWebhookDeliveries(
        {
          now: toText(nowMs),
          until: toText(nowMs + claimMs),
          perWebhook: maxPerWebhook,
          limit,
          busy: [...busy].filter(([, count]) => count >= maxPerWebhook).map(([id]) => id),
        },
        signal,
      )
      for (const each of due) track(each, onEnd)
    },
    ended: async () => void (await Promise.all(underWay)),
  }
}

const toText = (ms: number) => new Date(ms).toISOString()

/** Bounds how many tests of one webhook run at a time, so that tests cannot be used to flood a receiver. */
function createTestLimit(max: number) {
  const underWay = new Map<string, number>()
  return {
    /** Runs a test, or gives undefined if too many of the webhook are under way. */
    run<Result>(webhookId: string, run: () => Promise<Result>): Promise<Result> | undefined {
      const count = underWay.get(webhookId) ?? 0
      if (count >= max) return undefined
      underWay.set(webhookId, count + 1)
      return run().finally(() => {
        const left = (underWay.get(webhookId) ?? 1) - 1
        if (left > 0) underWay.set(webhookId, left)
        else underWay.delete(webhookId)
      })
    },
  }
}
