/** Waits that one process remembers. At the limit the oldest is forgotten. */
const maxRemembered = 100_000

/** How long things take that begin and end in this process. */
export interface Waits {
  begin(id: string): void
  /** @returns seconds since its beginning; undefined if it is not known. */
  end(id: string): number | undefined
}

/** Remembers beginnings by id, at most 100,000 of them. */
export function createWaits(now: () => number): Waits {
  const beganAt = new Map<string, number>()
  return {
    begin(id) {
      if (beganAt.size >= maxRemembered) beganAt.delete(beganAt.keys().next().value!)
      beganAt.set(id, now())
    },
    end(id) {
      const atMs = beganAt.get(id)
      if (atMs === undefined) return undefined
      beganAt.delete(id)
      return Math.max(0, now() - atMs) / 1000
    },
  }
}
