const maxWrong = 10
const wrongMs = 10 * 60 * 1000

/** Counts wrong codes of a channel or a person, so that nobody can try them all. */
export interface TryCounter {
  /** How long no code may be compared. @returns 0 if one may be. */
  secondsLeft(key: string): number
  failed(key: string): void
}

/** Lets no code be compared for the rest of ten minutes after ten wrong ones. */
export function createTryCounter(now: () => number): TryCounter {
  const wrong = new Map<string, { count: number; untilMs: number }>()
  const current = (key: string) => {
    const known = wrong.get(key)
    return known && known.untilMs > now() ? known : { count: 0, untilMs: now() + wrongMs }
  }
  return {
    secondsLeft(key) {
      const { count, untilMs } = current(key)
      return count < maxWrong ? 0 : Math.max(1, Math.ceil((untilMs - now()) / 1000))
    },
    failed(key) {
      const { count, untilMs } = current(key)
      wrong.set(key, { count: count + 1, untilMs })
    },
  }
}
