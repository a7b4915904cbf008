import { platformTimers, sleep, type Timers } from '@homeward/kit'

/** Makes work rest, so that the process stays below a share of a core. */
export interface CpuLimit {
  /** Resolves once the process may go on; at once while it is below its share. @throws the signal's reason */
  rest(signal?: AbortSignal): Promise<void>
  /** Counts work of another process that was done for this one, in milliseconds. */
  note(busyMs: number): void
}

/** What {@link createCpuLimit} works with. */
interface CpuLimitOptions {
  /** Percent of one core. */
  readonly maxPercent: number
  /** CPU time of the process, in milliseconds. @default what the system says */
  readonly usedMs?: () => number
  /** @default Date.now */
  readonly now?: () => number
  readonly timers?: Timers
}

/** CPU time that may be taken at once after a pause, in milliseconds: a short search needs no rest. */
const maxSavedMs = 250
/** One rest, in milliseconds: after it the clock is read again. */
const longestRestMs = 1000

/** Builds a limit. The work of one process shares it. */
export function createCpuLimit(options: CpuLimitOptions): CpuLimit {
  const { maxPercent, usedMs = readCpuMs, now = Date.now, timers = platformTimers } = options
  const share = maxPercent / 100
  let last = { atMs: now(), usedMs: usedMs() }
  /** CPU time that was taken beyond the share. */
  let debtMs = 0
  let notedMs = 0
  let resting: Promise<void> | undefined

  function settle(): number {
    const current = { atMs: now(), usedMs: usedMs() }
    // A clock that was put back gives no rest away, and asks for none.
    const passedMs = Math.max(0, current.atMs - last.atMs)
    debtMs = Math.max(-maxSavedMs, debtMs + current.usedMs - last.usedMs + notedMs - passedMs * share)
    notedMs = 0
    last = current
    return debtMs
  }

  async function restUntilPaid(): Promise<void> {
    // Nobody ends it: others wait for the same rest.
    const { signal } = new AbortController()
    for (let debt = settle(); debt > 0; debt = settle())
      await sleep(Math.min(longestRestMs, Math.ceil(debt / share)), signal, timers)
  }

  return {
    note: (busyMs) => void (notedMs += busyMs),
    async rest(signal) {
      if (resting === undefined && settle() <= 0) return
      resting ??= restUntilPaid().finally(() => (resting = undefined))
      await resting
      signal?.throwIfAborted()
    },
  }
}

function readCpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}
