/** Polls that wait for work (C22), by device. */
export interface HeldPolls {
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
  /** Ends every held poll. */
  close(): void
}

/** Creates the waiting room. A device that opens more polls than `maxHeld` gets an answer at once. */
export function createHeldPolls(maxHeld = 4): HeldPolls {
  const wakersByDevice = new Map<string, Set<() => void>>()
  let closed = false

  function enter(deviceId: string, waker: () => void): () => void {
    const wakers = wakersByDevice.get(deviceId) ?? new Set()
    wakersByDevice.set(deviceId, wakers.add(waker))
    return () => {
      wakers.delete(waker)
      if (wakers.size === 0) wakersByDevice.delete(deviceId)
    }
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
      const timer = setTimeout(end, waitMs)
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
        clearTimeout(timer)
        signal.removeEventListener('abort', end)
        leave()
      }
    },
    announce(deviceIds) {
      for (const deviceId of deviceIds) {
        for (const waker of wakersByDevice.get(deviceId) ?? []) waker()
      }
    },
    close() {
      closed = true
      this.announce([...wakersByDevice.keys()])
    },
  }
}

/** Seconds that a `Prefer: wait=N` header asks for (RFC 7240), at most 60; undefined when it asks for none. */
export function preferredWaitSeconds(header: string | undefined): number | undefined {
  if (header === undefined) return undefined
  const seconds = /(?:^|[,;])\s*wait\s*=\s*"?(\d{1,9})"?\s*(?=$|[,;])/i.exec(header)?.[1]
  return seconds === undefined ? undefined : Math.min(60, Number(seconds))
}
