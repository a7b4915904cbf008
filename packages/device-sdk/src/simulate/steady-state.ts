import { endOf, type FleetFault } from './fleet-fault.ts'
import type { FleetLog } from './fleet-log.ts'

/** Knows when a fleet is calm: when everything that comes is what came before, until something is changed. */
export interface SteadyState {
  begin(fault: FleetFault): void
  end(fault: FleetFault): void
  isCalm(nowSeconds: number): boolean
}

/** What is looked at, which has to lie behind each change: two held polls of a loop. */
const calmSeconds = 100
/** Counts of so many seconds are compared. */
const spanSeconds = 10
/** In an outage every loop has reached its longest pause by then. */
const longestPauseSeconds = 420

/** Builds it for a fleet that has started after `startedSeconds`. */
export function createSteadyState(log: FleetLog, startedSeconds: number): SteadyState {
  const underWay = new Set<FleetFault>()
  let changedSeconds = startedSeconds

  function note(atSeconds: number): void {
    changedSeconds = Math.max(changedSeconds, atSeconds)
  }

  /** Whether all that works does; in an outage, whether nobody expects it to any more. */
  function isSettled(sinceChange: number): boolean {
    if (underWay.size === 0) return sinceChange >= calmSeconds && log.failingDevices() === 0
    return (
      sinceChange >= longestPauseSeconds + calmSeconds && [...underWay].every(({ kind }) => kind === 'outage')
    )
  }

  return {
    begin(fault) {
      note(fault.atSeconds)
      if (fault.kind !== 'reboot') underWay.add(fault)
    },
    end(fault) {
      underWay.delete(fault)
      note(endOf(fault))
    },
    isCalm: (nowSeconds) => isSettled(nowSeconds - changedSeconds) && isSteady(log.perSecond, nowSeconds),
  }
}

/** Whether no span before `nowSeconds` was busier or calmer than the others by a tenth, and by more than chance explains. */
function isSteady(perSecond: Uint32Array, nowSeconds: number): boolean {
  const until = Math.floor(nowSeconds)
  const spans = Array.from({ length: calmSeconds / spanSeconds }, (_, at) => {
    const from = until - (at + 1) * spanSeconds
    return perSecond.subarray(from, from + spanSeconds).reduce((sum, count) => sum + count, 0)
  })
  const mean = spans.reduce((sum, count) => sum + count, 0) / spans.length
  const most = mean / 10 + 4 * Math.sqrt(mean)
  return spans.every((count) => Math.abs(count - mean) <= most)
}
