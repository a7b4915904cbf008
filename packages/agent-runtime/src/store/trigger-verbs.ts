import type { NewTriggerCall, TriggerStore } from './ports/trigger-store.ts'
import { inField } from './verb-events.ts'
import { newTaskLocks, signalLocks } from './verb-locks.ts'
import type { VerbOf } from './verbs.ts'

const triggerLocks = { alone: ['triggers'] }

/** A call of a trigger: another one with its key may come at the same time. */
function callLocks({ triggerId, task, signal }: NewTriggerCall) {
  const { alone = [], ...others } = task ? newTaskLocks(task) : signal ? signalLocks(signal.id) : {}
  return { ...others, alone: [`trigger ${triggerId}`, ...alone] }
}

/** The methods of triggers, in the table `storeVerbs`. */
export const triggerVerbs: { readonly [Name in keyof TriggerStore]: VerbOf<TriggerStore[Name]> } = {
  insertTrigger: { kind: 'write', args: 3, locks: () => triggerLocks, auditTarget: ({ id }) => id },
  changeTrigger: { kind: 'write', args: 3, locks: () => triggerLocks, auditTarget: (id) => id },
  deleteTrigger: {
    kind: 'write',
    args: 2,
    locks: (id) => ({ alone: ['triggers', `trigger ${id}`] }),
    auditTarget: (id) => id,
  },
  findTrigger: { kind: 'read', args: 1 },
  listTriggers: { kind: 'read', args: 0 },
  acceptTriggerCall: {
    kind: 'write',
    args: 1,
    locks: callLocks,
    events: inField(({ outcome }) => outcome === 'started'),
  },
  listTriggerCalls: { kind: 'read', args: 2 },
}
