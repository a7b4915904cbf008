import type { Timers } from '@homeward/kit'
import { toTimestamp } from '../context/time.ts'
import type { CloudContext } from '../context/cloud-context.ts'
import type { OfflineDevice, PresenceStore, StoredPresence } from '../ports/presence-store.ts'

/** Devices that one process remembers. At the limit the one that was silent for longest is forgotten. */
const maxRemembered = 500_000
/** Devices in one look at the store. */
const atOnce = 1000
/** How often all devices are looked through while heartbeats arrive. */
const scanEveryMs = 60 * 60 * 1000

/** Notices devices that fall silent (C2). */
export interface OfflineWatch {
  /** Begins with the first request. */
  start(): void
  /** Notes a heartbeat. @returns when this process noted the one before, in milliseconds since the epoch. */
  note(deviceId: string, nowMs: number): number | undefined
  /** When this process noted the last heartbeat of a device, in milliseconds since the epoch. */
  last(deviceId: string): number | undefined
  /** How many devices this process has heard of within the online window. */
  online(): number
  /** Notes that the store failed: heartbeats may be missing there. */
  noteOutage(): void
  /** Ends the timer and waits for the look that is under way. */
  close(): Promise<void>
}

/** What {@link createOfflineWatch} works with. */
interface OfflineWatchSetup {
  readonly store: PresenceStore
  readonly now: () => number
  readonly timers: Timers
  readonly onlineWindowMs: number
  /** How much later than here other processes store a heartbeat, in milliseconds. */
  readonly slackMs: number
  /** Writes the heartbeats that wait. */
  readonly flush: () => Promise<void>
  readonly emit: CloudContext['emit']
  /** Told of each group of devices that were reported. */
  readonly onOffline: (devices: readonly OfflineDevice[]) => Promise<void>
  readonly onError: (error: unknown) => void
}

/**
 * Emits `device:offline` once for each silence of a device. The deadline of a device lies in memory. When it is over, the
 * process claims the device in the store: of all processes one gets it, and none if another one heard a heartbeat.
 *
 * For `onlineWindowMs` after a start or an outage of the store nothing is emitted, because devices need that time to
 * return. Then all stored devices are looked through, for those that nobody has a deadline for. That look also removes
 * last-seen times of devices that are gone.
 */
export function createOfflineWatch(setup: OfflineWatchSetup): OfflineWatch {
  const { now, timers, onlineWindowMs, slackMs, onError } = setup
  const silentMs = onlineWindowMs + slackMs
  /** In the order of the last heartbeats. */
  const lastBeats = new Map<string, number>()
  let quietUntilMs: number | undefined
  let isScanDue = true
  let scannedAtMs = 0
  let timer: unknown
  let look: Promise<void> | undefined
  let isClosed = false
  const { claim, scan } = createLooks(
    setup,
    (deviceId) => lastBeats.has(deviceId),
    () => isClosed,
  )

  const isOver = (lastMs: number, nowMs: number) => Math.abs(nowMs - lastMs) > silentMs

  /** When there is something to do next; undefined if nothing is expected. */
  function nextMs(nowMs: number): number | undefined {
    const [oldest] = lastBeats.values()
    if (!isScanDue && oldest === undefined) return undefined
    const dueMs = isScanDue ? nowMs : oldest! + silentMs + 1
    return Math.max(dueMs, quietUntilMs ?? nowMs)
  }

  function schedule(): void {
    if (timer !== undefined || look !== undefined || isClosed || quietUntilMs === undefined) return
    const nowMs = now()
    const atMs = nextMs(nowMs)
    if (atMs === undefined) return
    // Not at once for each device: those that fall silent within a moment are looked up together.
    const waitMs = Math.min(Math.max(atMs - nowMs, Math.min(1000, onlineWindowMs / 10)), silentMs)
    timer = timers.setTimeout(begin, waitMs)
  }

  function begin(): void {
    timer = undefined
    const nowMs = now()
    if (nowMs < (quietUntilMs ?? 0)) return schedule()
    if (nowMs - scannedAtMs > scanEveryMs && lastBeats.size > 0) isScanDue = true
    look = run(nowMs)
      .catch((error: unknown) => {
        noteOutage()
        onError(error)
      })
      .finally(() => {
        look = undefined
        schedule()
      })
  }

  async function run(nowMs: number): Promise<void> {
    const due: string[] = []
    for (const [deviceId, lastMs] of lastBeats) {
      if (!isOver(lastMs, nowMs)) break
      due.push(deviceId)
    }
    if (due.length === 0 && !isScanDue) return
    await setup.flush()
    for (let start = 0; start < due.length; start += atOnce) {
      const part = due.slice(start, start + atOnce)
      await claim(part)
      // A heartbeat that arrived in the meantime keeps its place.
      for (const id of part) if (isOver(lastBeats.get(id) ?? nowMs, nowMs)) lastBeats.delete(id)
    }
    if (!isScanDue) return
    await scan()
    isScanDue = false
    scannedAtMs = now()
  }

  function noteOutage(): void {
    quietUntilMs = now() + onlineWindowMs
    isScanDue = true
    schedule()
  }

  return {
    start() {
      if (quietUntilMs === undefined) noteOutage()
    },
    note(deviceId, nowMs) {
      const lastMs = moveToEnd(lastBeats, deviceId, nowMs)
      if (timer === undefined) schedule()
      return lastMs
    },
    last: (deviceId) => lastBeats.get(deviceId),
    online: () => countOnline(lastBeats, now(), onlineWindowMs),
    noteOutage,
    async close() {
      isClosed = true
      timers.clearTimeout(timer)
      await look
    },
  }
}

/** They are in the order of their heartbeats, and few of them are over. */
function countOnline(lastBeats: ReadonlyMap<string, number>, nowMs: number, windowMs: number): number {
  let silent = 0
  for (const lastMs of lastBeats.values()) {
    if (Math.abs(nowMs - lastMs) <= windowMs) break
    silent += 1
  }
  return lastBeats.size - silent
}

/** Notes the latest heartbeat of all. @returns the time of the device's heartbeat before */
function moveToEnd(lastBeats: Map<string, number>, deviceId: string, nowMs: number): number | undefined {
  const lastMs = lastBeats.get(deviceId)
  if (lastMs !== undefined) lastBeats.delete(deviceId)
  else if (lastBeats.size >= maxRemembered) lastBeats.delete(lastBeats.keys().next().value!)
  lastBeats.set(deviceId, nowMs)
  return lastMs
}

/** What the watch asks of the store. */
function createLooks(
  { store, now, onlineWindowMs, slackMs, emit, onOffline }: OfflineWatchSetup,
  isWatched: (deviceId: string) => boolean,
  isClosed: () => boolean,
) {
  const silentMs = onlineWindowMs + slackMs

  async function claim(deviceIds: readonly string[]): Promise<void> {
    const nowMs = now()
    const [seenBefore, at] = [toTimestamp(nowMs - onlineWindowMs), toTimestamp(nowMs)]
    const devices = await store.claimOffline({ deviceIds, seenBefore, now: at })
    for (const { deviceId, owner, lastSeenAt } of devices)
      emit('device:offline', { deviceId, userId: owner, at, lastSeenAt })
    if (devices.length > 0) await onOffline(devices)
  }

  async function scan(): Promise<void> {
    let after = ''
    for (;;) {
      const rows = await store.listPresence(after, atOnce)
      const silentBefore = toTimestamp(now() - silentMs)
      const isSilent = (row: StoredPresence) => !row.isReported && row.lastSeenAt < silentBefore
      const ids = (wanted: (row: StoredPresence) => boolean) =>
        rows.filter(wanted).map(({ deviceId }) => deviceId)
      const silent = ids((row) => row.owner !== null && isSilent(row) && !isWatched(row.deviceId))
      if (silent.length > 0) await claim(silent)
      const gone = ids(({ owner }) => owner === null)
      if (gone.length > 0) await store.removePresence(gone)
      const last = rows.at(-1)
      if (rows.length < atOnce || last === undefined || isClosed()) break
      after = last.deviceId
    }
  }

  return { claim, scan }
}
