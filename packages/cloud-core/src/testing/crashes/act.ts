import type { CloudStore } from '../../ports/cloud-store.ts'

/** A call of a verb, and a name for it. */
export interface Act {
  readonly name: string
  /** Whether it may be called again although it was done: what a caller does who got no answer. */
  readonly isRepeatable: boolean
  run(store: CloudStore): Promise<unknown>
}

/** Names a call. */
export const act = (name: string, run: Act['run'], isRepeatable = true): Act => ({ name, run, isRepeatable })
