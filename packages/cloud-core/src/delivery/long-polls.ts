import { platformTimers, type Timers } from '@homeward/kit'

/** Polls that wait for work (C22), by device. */
export interface LongPolls {
  /** Whether one more poll of this device would be held: else it is answered at once, and must not claim otherwise. */
  hasRoom(deviceId: string): boolean
  /**
   * Reads until there is something, `waitMs` passed, the caller went away or the cloud closes; then gives what was
   * read last. Work that is announced while a read is under way is not missed: the read is repeated. The last read is
   * made when the time is over, so that work which another process added is delivered then at the latest.
   */
  hold<Row>(
    deviceId: string,
    waitMs: number,
    signal: AbortSignal,
    read: () => Promise<readonly Row[]>,
  ): Promise<readonly Row[]>
  /** Tells held polls of these devices that there may be work. */
  announce(deviceIds: Iterable<string>): void
  /**
   * Tells every held poll that there may be work, a thousand devices at a time: they all read, and those who ask
   * meanwhile should not wait behind all of them.
   */
  announceAll(): void
  /** How many polls are held now. */
  count(): number
  /** Ends every held poll. */
  close(): void
}

/** Devices that are told at once, and the pause until the next, in milliseconds. */
const atOnce = 1000
const pauseMs = 10

/** Creates the waiting room. A device that opens more polls than `maxHeld` gets an answer at once. */
export function createLongPolls(timers: Timers = platformTimers, maxHeld = 4): LongPolls {
  const wakersByDevice = new Map<string, Set<() => void>>()
  let toWake: readonly string[] = []
  let waking: unknown
  let closed = false
  let held = 0

  function enter(deviceId: string, waker: () => void): () => void {
    const wakers = wakersByDevice.get(deviceId) ?? new Set()
    wakersByDevice.set(deviceId, wakers.add(waker))
    held += 1
    return () => {
      held -= 1
      wakers.delete(waker)
      if (wakers.size === 0) wakersByDevice.delete(deviceId)
    }
  }

  function announce(deviceIds: Iterable<string>): void {
    for (const deviceId of deviceIds) {
      for (const waker of wakersByDevice.get(deviceId) ?? []) waker()
    }
  }

  function wakeSome(): void {
    announce(toWake.slice(0, atOnce))
    toWake = toWake.slice(atOnce)
    waking = toWake.length > 0 ? timers.setTimeout(wakeSome, pauseMs) : undefined
  }

  const hasRoom = (deviceId: string) => !closed && (wakersByDevice.get(deviceId)?.size ?? 0) < maxHeld

  return {
    hasRoom,
    async hold(deviceId, waitMs, signal, read) {
      if (!hasRoom(deviceId)) return read()
      let over = false
      let announced = false
      let wake: (() => void) | undefined
      const leave = enter(deviceId, () => {
        announced = true
        wake?.()
      })
      const end = () => {
        over = true
        wake?.()
      }
      const timer = timers.setTimeout(end, waitMs)
      signal.addEventListener('abort', end)
      try {
        for (;;) {
          announced = false
          const isLast = over
          const rows = await read()
          if (rows.length > 0 || isLast || closed || signal.aborted) return rows
          if (!announced && !over) await new Promise<void>((resolve) => (wake = resolve))
          if (closed || signal.aborted) return rows
        }
      } finally {
        timers.clearTimeout(timer)
        signal.removeEventListener('abort', end)
        leave()
      }
    },
    announce,
    count: () => held,
    announceAll() {
      toWake = [...wakersByDevice.keys()]
      waking ??= timers.setTimeout(wakeSome, 0)
    },
    close() {
      closed = true
      timers.clearTimeout(waking)
      announce([...wakersByDevice.keys()])
    },
  }
}

/** Seconds that a `Prefer: wait=N` header asks for (RFC 7240), at most `most`; undefined when it asks for none. */
export function preferredWaitSeconds(header: string | undefined, most = 60): number | undefined {
  if (header === undefined) return undefined
  const seconds = /(?:^|[,;])\s*wait\s*=\s*"?(\d{1,9})"?\s*(?=$|[,;])/i.exec(header)?.[1]
  return seconds === undefined ? undefined : Math.min(most, Number(seconds))
}
