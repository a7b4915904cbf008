import { longestTimerMs, type Timers } from '@homeward/kit'
import { toTimestamp } from '../context/time.ts'
import type { CloudContext } from '../context/cloud-context.ts'

/** Groups in one look at the store. */
const atOnce = 100
/** Reports of one group come together, so one look counts for all of a second. */
const pauseMs = 1000
const retryMs = 30_000
/** Searches, and upload requests, that are written down as expired in one transaction. */
const expiredAtOnce = 200

/** Notices work that expires, and groups of searches whose last search ended (C10, C32). */
export interface SettledGroups {
  /** Begins with the first request: groups may have expired while no process ran. */
  start(): void
  /** Notes that a search of this group ended. */
  note(groupId: string): void
  /** Notes when work expires, in milliseconds since the epoch. */
  expect(expiresAtMs: number): void
  /** Ends the timer and waits for the look that is under way. */
  close(): Promise<void>
}

/** What {@link createSettledGroups} works with. */
interface SettledGroupsSetup extends Pick<CloudContext, 'store' | 'now' | 'emit' | 'onError'> {
  readonly timers: Timers
}

/**
 * Emits `group:settled` once for each group: the store gives a settled group to one process only. Groups whose last search
 * expires, or whose last report was noted by a process that ended, are found when the group expires.
 */
export function createSettledGroups(setup: SettledGroupsSetup): SettledGroups {
  const { store, now, emit, onError, timers } = setup
  const noted = new Set<string>()
  let dueMs = Infinity
  let timer: unknown
  let look: Promise<void> | undefined
  let hasStarted = false
  let isClosed = false
  /** When work may have expired. */
  let expireMs = Infinity

  /** Writes down what has expired, and tells of it. */
  async function expire(): Promise<void> {
    expireMs = Infinity
    try {
      const { searches, uploads, nextAt } = await store.expireWork(expiredAtOnce, toTimestamp(now()))
      const ended = { status: 'failed', outcome: 'expired' } as const
      for (const { id: searchId, deviceId, owner: userId } of searches)
        if (userId !== '') emit('search:settled', { searchId, deviceId, userId, ...ended })
      for (const { id: requestId, deviceId, owner: userId } of uploads)
        if (userId !== '') emit('upload:settled', { requestId, deviceId, userId, ...ended })
      if (nextAt !== null) expectAt(Date.parse(nextAt))
    } catch (error) {
      expectAt(now() + retryMs)
      throw error
    }
  }

  function expectAt(expiresAtMs: number): void {
    expireMs = Math.min(expireMs, expiresAtMs + 1)
    wakeAt(expiresAtMs + 1)
  }

  function wakeAt(ms: number): void {
    if (isClosed || ms >= dueMs) return
    dueMs = ms
    if (look !== undefined) return
    timers.clearTimeout(timer)
    timer = timers.setTimeout(run, Math.min(Math.max(1, ms - now()), longestTimerMs))
  }

  async function lookAt(ids: readonly string[]): Promise<void> {
    try {
      const at = toTimestamp(now())
      if (now() >= expireMs) await expire()
      const { settled, nextAt } = await store.settleGroups(ids, at)
      for (const { id: groupId, owner: userId } of settled) {
        const outcome = ids.includes(groupId) ? 'completed' : 'expired'
        emit('group:settled', { groupId, userId, outcome })
      }
      if (nextAt !== null) wakeAt(Date.parse(nextAt) + 1)
      if (expireMs < Infinity) wakeAt(expireMs)
    } catch (error) {
      if (isClosed) return
      onError(error)
      for (const id of ids) noted.add(id)
      wakeAt(now() + retryMs)
    }
  }

  function run(): void {
    dueMs = Infinity
    timer = undefined
    const ids = [...noted].slice(0, atOnce)
    for (const id of ids) noted.delete(id)
    if (noted.size > 0) wakeAt(now() + 1)
    look = lookAt(ids).finally(() => {
      look = undefined
      const ms = dueMs
      dueMs = Infinity
      wakeAt(ms)
    })
  }

  return {
    start() {
      if (!hasStarted) expectAt(now() - 1)
      hasStarted = true
    },
    note(groupId) {
      noted.add(groupId)
      wakeAt(now() + pauseMs)
    },
    expect: expectAt,
    async close() {
      isClosed = true
      timers.clearTimeout(timer)
      await look
    },
  }
}
