import { AsyncLocalStorage } from 'node:async_hooks'
import type { NewAuditEntry } from '../store/ports/audit-store.ts'

/** Something that is done on behalf of a caller, and its entry of the audit. */
export interface Act {
  readonly entry: NewAuditEntry
  /** Whether a change of the store has carried the entry with it. */
  isWritten: boolean
}

/** Follows the calls of one act, however deep, and no others. */
const acts = new AsyncLocalStorage<Act>()

/** Does something as part of an act: its changes of the store carry the entry of the act (A27). */
export function withAct<Result>(act: Act, work: () => Result): Result {
  return acts.run(act, work)
}

/** The act that the caller is part of, unless its entry was written already. */
export function currentAct(): Act | undefined {
  const act = acts.getStore()
  return act?.isWritten === true ? undefined : act
}
