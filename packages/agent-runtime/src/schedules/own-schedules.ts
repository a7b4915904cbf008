import type {
  ReportTarget,
  ScheduleInput,
  ScheduleOccurrence,
  SchedulePatch,
} from '@homeward/contract/agent-platform'
import { createHash } from 'node:crypto'
import { createKeyedMutex } from '../concurrency/keyed-mutex.ts'
import { RuntimeError } from '../ports/runtime-error.ts'
import { repeatableId, usedKey } from '../store/repeatable-id.ts'
import type { ScheduleStore, StoredSchedule } from '../store/ports/schedule-store.ts'
import type { StoredTask, TaskSubject } from '../store/ports/task-store.ts'
import { checkSchedule } from './check-schedule.ts'
import { subjectOfId } from './schedule-definition.ts'
import type { ScheduleDefinitions, SetSchedule } from './schedule-definitions.ts'

/** What {@link createOwnSchedules} is built from. */
interface OwnSchedulesOptions {
  readonly store: Pick<
    ScheduleStore,
    'insertSchedule' | 'replaceSchedule' | 'deleteSchedule' | 'findSchedule'
  >
  readonly definitions: ScheduleDefinitions
  /** Checks that a channel knows each conversation. @throws {RuntimeError} that begins with what was attempted */
  readonly checkReportTo: (targets: readonly ReportTarget[], attempt: string) => Promise<void>
  readonly now: () => number
  readonly createId: () => string
}

/** Most schedules of their own. */
const maxSchedules = 1000
const [creating, changing, deleting] = ['Creating', 'Changing', 'Deleting'].map(
  (verb) => `${verb} a schedule`,
) as [string, string, string]

/** Creates, changes and deletes schedules that are not fields of an agent or a graph. */
export function createOwnSchedules(options: OwnSchedulesOptions) {
  const { store, definitions, checkReportTo, now, createId } = options
  const timestamp = () => new Date(now()).toISOString()
  /** Changes of one schedule go one after the other: each merges into what the one before has left. */
  const inTurn = createKeyedMutex()

  async function check({ cron, timezone, reportTo = [] }: StoredSchedule, attempt: string): Promise<void> {
    await checkSchedule({ schedule: cron, timezone }, attempt, 'cron')
    if (reportTo.length > 0) await checkReportTo(reportTo, attempt)
  }

  async function assertThere(runs: TaskSubject, signal: AbortSignal | undefined): Promise<void> {
    if (await definitions.findSet(runs, signal)) return
    throw new RuntimeError(
      'not_found',
      `${creating} failed: no ${runs.kind} has the id "${runs.id.slice(0, 100)}". Use the id of an existing ${runs.kind}.`,
    )
  }

  /** A schedule of its own. @throws {RuntimeError} `not_found`; `conflict` for the field of an agent or a graph. */
  async function find(id: string, attempt: string, signal: AbortSignal | undefined): Promise<StoredSchedule> {
    const found = await findSet(definitions, id, attempt, signal)
    if (found.own) return found.own
    const { kind, id: name } = found.definition.runs
    throw new RuntimeError(
      'conflict',
      `${attempt} failed: this schedule is a field of the ${kind} "${name}". Change it with PUT /api/${kind}s/${name}.`,
    )
  }

  return {
    /** @returns whether the same request created it before, too. */
    async create(given: ScheduleInput, signal?: AbortSignal): Promise<{ id: string; created: boolean }> {
      const schedule = toNewSchedule(given, timestamp(), createId)
      await assertThere(schedule.runs, signal)
      await check(schedule, creating)
      const isAdded = await store.insertSchedule(schedule, maxSchedules, undefined, signal)
      if (isAdded === false) throw full()
      const { id, runs, requestHash } = schedule
      const kept = isAdded ? schedule : await store.findSchedule(id, signal)
      if (kept?.requestHash !== requestHash) throw usedKey(creating, 'schedule')
      if (await definitions.findSet(runs)) return { id, created: isAdded === true }
      // its agent was deleted at this moment
      await store.deleteSchedule(id)
      throw new RuntimeError(
        'not_found',
        `${creating} failed: its ${runs.kind} was deleted. Use the id of an existing ${runs.kind}.`,
      )
    },

    async update(id: string, patch: SchedulePatch, signal?: AbortSignal): Promise<void> {
      await inTurn(id, async () => {
        const before = await find(id, changing, signal)
        const schedule = toChanged(before, patch, timestamp())
        await check(schedule, changing)
        if (!(await store.replaceSchedule(schedule, undefined, signal))) throw notFound(id, changing)
      })
    },

    async delete(id: string, signal?: AbortSignal): Promise<void> {
      await find(id, deleting, signal)
      if (!(await store.deleteSchedule(id, undefined, signal))) throw notFound(id, deleting)
    },
  }
}

/** A schedule by its id on the interface. @throws {RuntimeError} `not_found` */
export async function findSet(
  definitions: ScheduleDefinitions,
  id: string,
  attempt: string,
  signal?: AbortSignal,
): Promise<SetSchedule> {
  const found = await definitions.find(subjectOfId(id), signal)
  if (found) return found
  throw notFound(id, attempt)
}

/** A task of a schedule, as its history shows it. */
export function toOccurrence(task: StoredTask): ScheduleOccurrence {
  const { scheduled, runId, startedAt, finishedAt, failure } = task
  return {
    scheduled_for: scheduled?.for ?? task.createdAt,
    manual: scheduled === undefined,
    task_id: task.id,
    state: task.status,
    ...(runId !== undefined && { run_id: runId }),
    ...(startedAt !== undefined && { started_at: startedAt }),
    ...(finishedAt !== undefined && { finished_at: finishedAt }),
    ...(failure && { error: failure.message }),
  }
}

const notFound = (id: string, attempt: string) =>
  new RuntimeError(
    'not_found',
    `${attempt} failed: no schedule has the id "${id.slice(0, 100)}". List the schedules to find it.`,
  )

const full = () =>
  new RuntimeError(
    'conflict',
    `${creating} failed: the limit of ${maxSchedules} schedules is reached. Delete a schedule that you no longer need.`,
  )

function toNewSchedule(given: ScheduleInput, at: string, createId: () => string): StoredSchedule {
  const { agent_id, graph_id, idempotency_key: key, cron, enabled = true, ...fields } = given
  return {
    id: key === undefined ? createId() : repeatableId(key, ['schedule']),
    runs: graph_id === undefined ? { kind: 'agent', id: agent_id ?? '' } : { kind: 'graph', id: graph_id },
    cron,
    enabled,
    ...toFields(fields),
    ...(key !== undefined && { requestHash: hashOf(given) }),
    created_at: at,
    updated_at: at,
  }
}

function toChanged(before: StoredSchedule, patch: SchedulePatch, at: string): StoredSchedule {
  const { agent_id, graph_id, cron = before.cron, enabled = before.enabled, ...fields } = patch
  const { kind, id } = before.runs
  if (
    (agent_id ?? id) !== id ||
    (graph_id ?? id) !== id ||
    (kind === 'agent' ? graph_id : agent_id) !== undefined
  ) {
    throw new RuntimeError(
      'validation_error',
      `${changing} failed: the schedule belongs to the ${kind} "${id}" and cannot be moved. Create a new schedule instead.`,
    )
  }
  const { name, input, timezone, catchUp, overlap, reportTo, ...rest } = before
  const own = { name, input, timezone, catch_up: catchUp, overlap, report_to: reportTo }
  const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
  return { ...rest, ...toFields({ ...own, ...given }), cron, enabled: enabled ?? true, updated_at: at }
}

type Fields = Pick<SchedulePatch, 'name' | 'input' | 'timezone' | 'catch_up' | 'overlap'> & {
  readonly report_to?: readonly ReportTarget[] | null | undefined
}

/** Fields as they are stored: without those that have no value. */
function toFields({ name, input, timezone, catch_up, overlap, report_to }: Fields) {
  return {
    ...(name && { name }),
    ...(input && { input }),
    ...(timezone && { timezone }),
    ...(catch_up && { catchUp: catch_up }),
    ...(overlap && { overlap }),
    ...(report_to && { reportTo: report_to }),
  }
}

/** Of what a request says, in whatever order its fields are. */
function hashOf(given: ScheduleInput): string {
  const fields = Object.entries(given).toSorted(([one], [other]) => (one < other ? -1 : 1))
  return createHash('sha256').update(JSON.stringify(fields)).digest('hex')
}
