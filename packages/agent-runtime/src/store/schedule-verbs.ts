import type { ScheduleStore } from './ports/schedule-store.ts'
import { ofFires } from './verb-events.ts'
import { fireLocks, scheduleLocks } from './verb-locks.ts'
import type { VerbOf } from './verbs.ts'

const locks = () => scheduleLocks
const auditTarget = ({ id }: { readonly id: string }) => id

/** The methods of schedules, in the table `storeVerbs`. */
export const scheduleVerbs: { readonly [Name in keyof ScheduleStore]: VerbOf<ScheduleStore[Name]> } = {
  insertSchedule: { kind: 'write', args: 3, locks, auditTarget },
  replaceSchedule: { kind: 'write', args: 2, locks, auditTarget },
  deleteSchedule: { kind: 'write', args: 2, locks, auditTarget: (id) => id },
  deleteSchedulesOf: { kind: 'write', args: 1, locks },
  findSchedule: { kind: 'read', args: 1 },
  listSchedules: { kind: 'read', args: 0 },
  listScheduleCursors: { kind: 'read', args: 0 },
  startSchedule: { kind: 'write', args: 1, locks },
  stopSchedule: { kind: 'write', args: 1, locks },
  recordOccurrences: { kind: 'write', args: 1, locks: () => fireLocks, events: ofFires },
}
