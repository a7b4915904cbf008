import type { Agent, Graph, ReportTarget, ScheduleState } from '@homeward/contract/agent-platform'
import { once } from '../concurrency/once.ts'
import type { Logger } from '../ports/logger.ts'
import type { ScheduleStore } from '../store/ports/schedule-store.ts'
import type { StoreSignals } from '../store/ports/store-signal.ts'
import type { NewTask, StoredTask, TaskStore } from '../store/ports/task-store.ts'
import { RuntimeError } from '../ports/runtime-error.ts'
import { checkSchedule } from './check-schedule.ts'
import { createFireDue } from './fire-due.ts'
import { createOwnSchedules, findSet, toOccurrence } from './own-schedules.ts'
import { createRunSchedule } from './run-schedule.ts'
import { createScheduleRegistry } from './schedule-registry.ts'
import { keyOfSubject, subjectOfId, idOfSchedule } from './schedule-definition.ts'
import {
  createScheduleDefinitions,
  type Definitions,
  type ScheduleDefinitions,
  type SetSchedule,
} from './schedule-definitions.ts'
import { createScheduleLoop, type ScheduleLoop } from './schedule-loop.ts'
import {
  createScheduleReader,
  reportProblems,
  type ScheduleReader,
  type ReadSchedule,
} from './schedule-reader.ts'
import type { Schedules } from './schedules.ts'
import { boundedLimit } from '../paging/bounded-limit.ts'
import { readPage } from '../paging/read-page.ts'
import { reasonOf } from '../ports/reason-of.ts'
import { nextOccurrence } from '@homeward/kit/cron'

/** What {@link createSchedules} is built from. */
export interface SchedulesOptions {
  readonly store: ScheduleStore & StoreSignals & Pick<TaskStore, 'insertTask' | 'listTasks'>
  readonly agents: Definitions<Agent>
  readonly graphs: Definitions<Graph>
  /** Time zone of schedules that name none. @default that of the system */
  readonly timezone?: string | undefined
  /** Checks that a channel knows each conversation. @throws {RuntimeError} that begins with what was attempted */
  readonly checkReportTo: (targets: readonly ReportTarget[], attempt: string) => Promise<void>
  /** Tells the workers of a task that somebody started. */
  readonly announce: (task: StoredTask | undefined) => Promise<void>
  /** A task is in the queue. */
  readonly onFired?: (task: NewTask) => void
  /** Told of schedules that cannot be used, and of failures. */
  readonly logger: Logger
  readonly now: () => number
  readonly createId: () => string
}

/** Schedules, and what carries them out. */
export interface ScheduleRunner extends Schedules {
  /**
   * Carries out what was missed and is to be made up for, and from then on what comes. What was due in the last ten
   * seconds another process may be carrying out: it is looked at ten seconds later. Never rejects.
   */
  start(): Promise<void>
  /** Makes no more tasks; resolves when those under way are kept. */
  close(): Promise<void>
}

const attempt = 'Previewing a schedule'

/**
 * Makes tasks when the schedules of agents and graphs say so (A9). Any number of processes may do so over one store:
 * each time makes one task.
 */
export function createSchedules(options: SchedulesOptions): ScheduleRunner {
  const { store, now, timezone = Intl.DateTimeFormat().resolvedOptions().timeZone } = options
  const reader = once(createScheduleReader)
  let loop: ScheduleLoop | undefined
  let unsubscribe = () => {}
  let isClosed = false

  const definitions = createScheduleDefinitions({ ...options, timezone })
  const own = createOwnSchedules({ ...options, definitions })

  async function toState(found: SetSchedule, lastFire?: string): Promise<ScheduleState> {
    return toScheduleState(found, { reader: await reader(), now: now(), lastFire })
  }

  async function get(id: string, attempt: string, signal?: AbortSignal): Promise<ScheduleState> {
    const found = await findSet(definitions, id, attempt, signal)
    const key = keyOfSubject(found.definition.subject)
    const cursors = await store.listScheduleCursors(signal)
    return toState(found, cursors.find(({ subject }) => keyOfSubject(subject) === key)?.lastOccurrence)
  }

  return {
    async next({ schedule, timezone: zone = timezone, count = 5, from }) {
      await checkSchedule({ schedule, timezone: zone }, attempt)
      const start = from === undefined ? now() : Date.parse(from)
      const means = (await reader()).read({ schedule, timezone: zone })
      if (isCounted(start) && !('problem' in means)) return listTimes(means, start, boundedLimit(count, 100))
      const problem = 'problem' in means ? `"schedule" ${means.problem}` : '"from" is not a time'
      throw new RuntimeError(
        'validation_error',
        `${attempt} failed: ${problem}. Use a time such as "2026-11-01T09:00:00Z".`,
      )
    },
    async list(signal) {
      const [set, cursors] = await Promise.all([definitions.list(signal), store.listScheduleCursors(signal)])
      const lastFires = new Map(
        cursors.map(({ subject, lastOccurrence }) => [keyOfSubject(subject), lastOccurrence]),
      )
      return Promise.all(set.map((one) => toState(one, lastFires.get(keyOfSubject(one.definition.subject)))))
    },
    async find(id, signal) {
      const found = await definitions.find(subjectOfId(id), signal)
      return found && toState(found)
    },
    async create(given, signal) {
      const { id, created } = await own.create(given, signal)
      return { schedule: await get(id, 'Creating a schedule', signal), created }
    },
    async update(id, patch, signal) {
      await own.update(id, patch, signal)
      return get(id, 'Changing a schedule', signal)
    },
    delete: (id, signal) => own.delete(id, signal),
    run: createRunSchedule({ ...options, definitions }),
    async history(id, { limit = 100, cursor } = {}, signal) {
      await findSet(definitions, id, 'Listing the history of a schedule', signal)
      const page = { limit: boundedLimit(limit, 500), cursor, of: id }
      const { rows, nextCursor } = await readPage('tasks', page, (part) =>
        store.listTasks({ scheduleId: id }, part, signal),
      )
      return { history: rows.map(toOccurrence), ...(nextCursor !== undefined && { nextCursor }) }
    },
    async start() {
      const created = await createRunner(options, definitions, await reader())
      if (isClosed || loop !== undefined) return
      loop = created
      unsubscribe = store.subscribe(({ topic }) => {
        if (topic === 'definition') created.look()
      })
      await created.start()
    },
    async close() {
      isClosed = true
      unsubscribe()
      await loop?.close()
    },
  }
}

/** Further away no calendar is reckoned with: near the last date there is, no next one could be told. */
const furthestMs = Date.UTC(9900, 0)
const isCounted = (time: number) => Math.abs(time) <= furthestMs

/** What carries schedules out. */
async function createRunner(
  options: SchedulesOptions,
  definitions: ScheduleDefinitions,
  reader: ScheduleReader,
): Promise<ScheduleLoop> {
  const { store, now } = options
  const read = reportProblems(reader, ({ subject }, problem) => {
    options.logger.warn(
      `Reading the schedule of ${keyOfSubject(subject)} failed: it ${problem}. Correct the schedule; until then, it does not run.`,
    )
  })
  const book = createScheduleRegistry({ store, read, now })
  const fireDue = createFireDue({
    ...options,
    book,
    find: async (subject) => (await definitions.find(subject))?.definition,
  })
  let isKnown = false
  return createScheduleLoop({
    async round(isLook) {
      if (isLook) {
        const cursors = isKnown ? [] : await store.listScheduleCursors()
        const set = await definitions.list()
        await book.update(
          set.map(({ definition }) => definition),
          cursors,
        )
        isKnown = true
      }
      return fireDue()
    },
    nextTime: book.nextDue,
    now,
    onError(error) {
      options.logger.error('Running schedules failed. Retrying.', { reason: reasonOf(error) })
    },
  })
}

/** A schedule as the interface shows it (A9). */
function toScheduleState(
  { definition, set, own }: SetSchedule,
  { reader, now, lastFire }: { reader: ScheduleReader; now: number; lastFire: string | undefined },
): ScheduleState {
  const { subject, runs, schedule, timezone, enabled, catchUp, overlap } = definition
  const means = reader.read(definition)
  const [next] = enabled && !('problem' in means) ? listTimes(means, now, 1) : []
  const input = own === undefined ? set.schedule_input : own.input
  return {
    id: idOfSchedule(subject),
    ...(runs.kind === 'agent' ? { agent_id: runs.id } : { graph_id: runs.id }),
    ...(own?.name !== undefined && { name: own.name }),
    cron: schedule,
    schedule,
    ...(input !== undefined && { input }),
    timezone,
    catch_up: catchUp,
    overlap,
    enabled,
    ...(own?.reportTo && { report_to: [...own.reportTo] }),
    ...(own && { created_at: own.created_at, updated_at: own.updated_at }),
    ...(next !== undefined && { next_fire: next }),
    ...(lastFire !== undefined && { last_fire: lastFire }),
    ...('problem' in means && { error: `It ${means.problem}.` }),
  }
}

/** The next times after an instant. */
function listTimes({ times, clock }: ReadSchedule, from: number, count: number): string[] {
  const found: string[] = []
  let time = nextOccurrence(times, clock, from)
  while (time !== undefined && found.length < count) {
    found.push(new Date(time).toISOString())
    time = nextOccurrence(times, clock, time)
  }
  return found
}
