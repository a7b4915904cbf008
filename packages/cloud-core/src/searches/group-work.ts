import { quotaExceededError } from '@homeward/contract/device-cloud'
import { longestTimerMs, sleep, type Timers } from '@homeward/kit'
import { toTimestamp } from '../context/time.ts'
import type { SearchContext } from './search-context.ts'
import { createDeviceFinder } from '../devices/find-devices.ts'
import type { ClaimedGroup, GroupExtension, RemainingDevices } from '../ports/group-store.ts'

/** Rows that are made or ended in one transaction: few, so that devices wait for none of them for long. */
const atOnce = 200
const leaseMs = 15_000
/** How long everybody else has between two transactions. */
const pauseMs = 1
const retryMs = 30_000
/** How long a removal is waited for; the rest is done afterwards. */
const removalMs = 5000

/** What is left of large acts, done in the background by whichever process comes first. */
export interface GroupWork {
  /** Begins with the first request: a process that ended may have left something. */
  start(): void
  /** Looks for work: call it when there may be some. */
  wake(): void
  /** Ends the searches of a removed group; after 5 s it goes on in the background. */
  finishRemoval(group: Pick<ClaimedGroup, 'id' | 'owner'>): Promise<void>
  /** Ends after the transaction under way. */
  close(): Promise<void>
}

/** What {@link createGroupWork} works with. */
interface GroupWorkOptions extends Pick<
  SearchContext,
  | 'store'
  | 'cleaning'
  | 'settledGroups'
  | 'polls'
  | 'heartbeats'
  | 'quotas'
  | 'now'
  | 'createId'
  | 'onlineWindowMs'
  | 'emit'
  | 'onError'
> {
  /** Runs saved searches that are due. @returns when the next one is, in milliseconds; undefined for never. */
  readonly runDueSearches: () => Promise<number | undefined>
  readonly timers: Timers
}

/**
 * Makes the rows of large groups and ends those of removed ones, in small transactions. The lease on a group makes one
 * process work on it; when that process ends, another one goes on once the lease is over.
 */
export function createGroupWork(options: GroupWorkOptions): GroupWork {
  const { store, now, createId, timers, onError } = options
  const leaseId = createId()
  const { make, endSearches } = createSteps(options, leaseId)
  let hasStarted = false
  let isClosed = false
  let isWoken = false
  let underWay: Promise<void> | undefined
  let timer: unknown

  const lease = () => ({ leaseId, now: toTimestamp(now()), leaseUntil: toTimestamp(now() + leaseMs) })
  // Its timer holds the process: a caller may wait for the end of a removal.
  const pause = () => sleep(pauseMs)

  async function workOn(group: ClaimedGroup): Promise<void> {
    let isDone = false
    let { rest }: { rest: RemainingDevices | null } = group
    while (!isDone && !isClosed) {
      if (group.task === 'remove') isDone = await endSearches(group)
      else {
        rest = rest && (await make(group, rest, lease()))
        isDone = rest === null
      }
      await pause()
    }
  }

  /** Does all there is. @returns when to look again; undefined when nothing is to come. */
  async function workThrough(): Promise<number | undefined> {
    for (;;) {
      const nextRunMs = isClosed ? undefined : await options.runDueSearches()
      const claimed = isClosed ? undefined : await store.claimGroup(lease())
      if (claimed === undefined) return nextRunMs
      if ('retryAt' in claimed) return Math.min(Date.parse(claimed.retryAt) + 1, nextRunMs ?? Infinity)
      await workOn(claimed.group)
    }
  }

  function wakeAt(ms: number): void {
    if (!isClosed) timer = timers.setTimeout(wake, Math.min(Math.max(1, ms - now()), longestTimerMs))
  }

  async function run(): Promise<void> {
    try {
      let nextMs: number | undefined
      do {
        isWoken = false
        nextMs = await workThrough()
      } while (isWoken && !isClosed)
      if (nextMs !== undefined) wakeAt(nextMs)
    } catch (error) {
      if (isClosed) return
      onError(error)
      wakeAt(now() + retryMs)
    }
  }

  function wake(): void {
    isWoken = true
    if (isClosed || underWay !== undefined) return
    hasStarted = true
    timers.clearTimeout(timer)
    timer = undefined
    underWay = run().finally(() => {
      underWay = undefined
      if (isWoken) wake()
    })
  }

  return {
    start() {
      if (!hasStarted) wake()
    },
    wake,
    async finishRemoval(group) {
      const untilMs = now() + removalMs
      while (!(await endSearches(group))) {
        await pause()
        if (now() > untilMs || isClosed) return wake()
      }
    },
    async close() {
      isClosed = true
      timers.clearTimeout(timer)
      await underWay
    },
  }
}

/** One transaction of each kind, and what everybody hears of it. */
function createSteps(options: GroupWorkOptions, leaseId: string) {
  const { store, cleaning, polls, settledGroups, quotas, now, createId, emit } = options
  const finder = createDeviceFinder(options)

  function tellMade({ kind, owner: userId }: ClaimedGroup, made: GroupExtension['work']): void {
    polls.announce(made.map(({ deviceId }) => deviceId))
    for (const { id, deviceId } of made) {
      if (kind === 'search') emit('search:created', { searchId: id, deviceId, userId })
      else emit('upload:created', { requestId: id, deviceId, userId })
    }
  }

  return {
    /** Makes the next rows of a group. @returns what is left; null when the group is done or no longer this process's. */
    async make(
      group: ClaimedGroup,
      { unmade, after }: RemainingDevices,
      lease: { now: string; leaseUntil: string },
    ): Promise<RemainingDevices | null> {
      const page = await finder.list(group.owner, group.filter, { limit: atOnce, ...(after && { after }) })
      const deviceIds = page.rows.map(({ id }) => id)
      const { owner, kind } = group
      const refused = await quotas.refuse({
        owner,
        kind,
        deviceIds,
        isGroup: true,
        attempt: 'Making a group',
      })
      const work = deviceIds.map((deviceId) => ({
        id: createId(),
        deviceId,
        ...(refused.has(deviceId) && { refused: quotaExceededError }),
      }))
      const rest = page.next ? { unmade: Math.max(unmade - work.length, 1), after: page.next } : null
      const made = await store.extendGroup({ id: group.id, leaseId, ...lease, work, rest })
      if (made === undefined) return null
      tellMade(group, made)
      if (rest === null) settledGroups.note(group.id)
      return rest
    },

    /** Ends the next searches of a removed group. @returns whether it is done. */
    async endSearches({ id, owner }: Pick<ClaimedGroup, 'id' | 'owner'>): Promise<boolean> {
      const ended = await store.endGroupSearches(id, atOnce, toTimestamp(now()))
      for (const { id: searchId, deviceId } of ended.canceled)
        emit('search:settled', { searchId, deviceId, userId: owner, status: 'failed', outcome: 'canceled' })
      await cleaning.removeFiles(ended.blobIds)
      return ended.isDone
    },
  }
}
