import { backoffMs } from '@homeward/kit'

/** What {@link createScheduleLoop} is built from. */
export interface ScheduleLoopOptions {
  /**
   * Does what is to be done now; `isLook`: what is set may have changed.
   *
   * @returns whether to look once more.
   */
  readonly round: (isLook: boolean) => Promise<boolean>
  /** When there is something to do again, in milliseconds since the epoch. */
  readonly nextTime: () => number | undefined
  readonly now: () => number
  readonly onError: (error: unknown) => void
}

/** Does rounds when they are due. */
export interface ScheduleLoop {
  /** Resolves behind the first round. */
  start(): Promise<void>
  /** Says that what is set may have changed. */
  look(): void
  /** Resolves when the round under way has ended. */
  close(): Promise<void>
}

/**
 * Longest wait in milliseconds. What is set may be changed where no signal comes from, and clocks are put forward and
 * machines sleep without a timer hearing of it.
 */
const lookMs = 60_000
/** Share of the time that looking may take when signals come all the time: one part in so many. */
const lookShare = 10
const maxPauseMs = 5000

/** One timer, to the time that is due first. */
export function createScheduleLoop({ round, nextTime, now, onError }: ScheduleLoopOptions): ScheduleLoop {
  let isLookWanted = true
  let lookedAt = now()
  let pauseMs = 0
  let failures = 0
  let isClosed = false
  let wake: () => void = () => {}
  let running: Promise<void> | undefined

  /** Milliseconds until the next look, of a clock that may have been put back or forward. */
  function untilLook(): number {
    const since = now() - lookedAt
    if (since < 0 || since >= lookMs) return 0
    return Math.max(0, (isLookWanted ? pauseMs : lookMs) - since)
  }

  async function doRound(): Promise<void> {
    const isLook = untilLook() === 0
    const startedAt = now()
    try {
      if (isLook) isLookWanted = false
      if (await round(isLook)) isLookWanted = true
      failures = 0
    } catch (error) {
      isLookWanted ||= isLook
      failures += 1
      onError(error)
    }
    if (!isLook) return
    lookedAt = now()
    pauseMs = Math.min(Math.max(0, lookedAt - startedAt) * lookShare, maxPauseMs)
  }

  function untilRound(): number {
    if (failures > 0) return backoffMs({ failures, baseMs: 1000, capMs: 30_000, spread: [1, 1] })
    const time = nextTime() ?? Infinity
    return Math.min(Math.max(0, time - now()), untilLook(), lookMs)
  }

  async function sleep(delayMs: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, delayMs)
      wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
    wake = () => {}
  }

  async function run(first: () => void): Promise<void> {
    while (!isClosed) {
      await doRound()
      first()
      if (!isClosed) await sleep(untilRound())
    }
  }

  return {
    async start() {
      if (isClosed || running !== undefined) return
      const { promise, resolve } = Promise.withResolvers<void>()
      running = run(resolve)
      await promise
    },
    look() {
      isLookWanted = true
      if (failures === 0) wake()
    },
    async close() {
      isClosed = true
      wake()
      await running
    },
  }
}
