import { availableParallelism, cpus, loadavg } from 'node:os'

/** The machine at this moment. */
export interface Machine {
  readonly cpus: number
  readonly model: string
  readonly node: string
  /** Processes that were running or waiting to, in the minute before. */
  readonly load: number
}

/** What figures depend on, and what else the machine is busy with. */
export function describeMachine(): Machine {
  const model = cpus()[0]?.model.trim() ?? 'unknown'
  const load = Math.round((loadavg()[0] ?? 0) * 10) / 10
  return { cpus: availableParallelism(), model, node: process.version, load }
}
