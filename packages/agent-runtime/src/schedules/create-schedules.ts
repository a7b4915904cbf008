import type { Agent, Graph, ScheduleState } from '@homeward/contract/agent-platform'
import { once } from '../concurrency/once.ts'
import type { Logger } from '../ports/logger.ts'
import type { ScheduleStore } from '../store/ports/schedule-store.ts'
import type { StoreSignals } from '../store/ports/store-signal.ts'
import type { NewTask, TaskSubject } from '../store/ports/task-store.ts'
import { RuntimeError } from '../ports/runtime-error.ts'
import { checkSchedule } from './check-schedule.ts'
import { createFireDue } from './fire-due.ts'
import { nextFire } from './next-fire.ts'
import { createScheduleBook } from './schedule-book.ts'
import type { ScheduleDefinition } from './schedule-definition.ts'
import { keyOfSubject, toScheduleDefinition } from './schedule-definition.ts'
import { createScheduleLoop, type ScheduleLoop } from './schedule-loop.ts'
import { createScheduleReader, reportProblems, type ReadSchedule } from './schedule-reader.ts'
import type { Schedules } from './schedules.ts'
import { boundedLimit } from '../paging/bounded-limit.ts'
import { reasonOf } from '../ports/reason-of.ts'

/** Where schedules are set. */
interface Definitions<Definition> {
  list(signal?: AbortSignal): Promise<Definition[]>
  find(id: string, signal?: AbortSignal): Promise<Definition | undefined>
}

/** What {@link createSchedules} is built from. */
export interface SchedulesOptions {
  readonly store: ScheduleStore & StoreSignals
  readonly agents: Definitions<Agent>
  readonly graphs: Definitions<Graph>
  /** Time zone of schedules that name none. @default that of the system */
  readonly timezone?: string | undefined
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

const attempt = 'Looking at a schedule'

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

  const definitions = createDefinitions(options, timezone)

  async function toState(definition: ScheduleDefinition, lastFire?: string): Promise<ScheduleState> {
    const { subject, schedule, timezone: zone, enabled } = definition
    const means = (await reader()).read(definition)
    const [next] = enabled && !('problem' in means) ? listTimes(means, now(), 1) : []
    return {
      ...(subject.kind === 'agent' ? { agent_id: subject.id } : { graph_id: subject.id }),
      schedule,
      timezone: zone,
      enabled,
      ...(next !== undefined && { next_fire: next }),
      ...(lastFire !== undefined && { last_fire: lastFire }),
      ...('problem' in means && { error: `It ${means.problem}.` }),
    }
  }

  async function createRunner() {
    const read = reportProblems(await reader(), ({ subject }, problem) => {
      options.logger.warn(`The schedule of ${keyOfSubject(subject)} is not carried out: it ${problem}.`)
    })
    const book = createScheduleBook({ store, read, now })
    const fireDue = createFireDue({ ...options, book, find: definitions.find })
    let isKnown = false
    return createScheduleLoop({
      async round(isLook) {
        if (isLook) {
          const cursors = isKnown ? [] : await store.listScheduleCursors()
          await book.update(await definitions.list(), cursors)
          isKnown = true
        }
        return fireDue()
      },
      nextTime: book.nextDue,
      now,
      onError(error) {
        options.logger.error('Carrying out schedules failed; it is tried again.', { reason: reasonOf(error) })
      },
    })
  }

  return {
    async next({ schedule, timezone: zone = timezone, count = 5, from }) {
      await checkSchedule({ schedule, timezone: zone }, attempt)
      const start = from === undefined ? now() : Date.parse(from)
      const means = (await reader()).read({ schedule, timezone: zone })
      if (isCounted(start) && !('problem' in means)) return listTimes(means, start, boundedLimit(count, 100))
      const problem = 'problem' in means ? `schedule: ${means.problem}` : 'from: is no time'
      throw new RuntimeError(
        'validation_error',
        `${attempt}: ${problem}. Write a time such as "2026-11-01T09:00:00Z".`,
      )
    },
    async list(signal) {
      const [set, cursors] = await Promise.all([definitions.list(signal), store.listScheduleCursors(signal)])
      const lastFires = new Map(cursors.map(({ subject, lastFire }) => [keyOfSubject(subject), lastFire]))
      return Promise.all(set.map((one) => toState(one, lastFires.get(keyOfSubject(one.subject)))))
    },
    async start() {
      const created = await createRunner()
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

/** The schedules of agents and graphs, as they are set. */
function createDefinitions({ agents, graphs }: SchedulesOptions, timezone: string) {
  return {
    async list(signal?: AbortSignal): Promise<ScheduleDefinition[]> {
      const [ofAgents, ofGraphs] = await Promise.all([agents.list(signal), graphs.list(signal)])
      return [
        ...ofAgents.flatMap((agent) => toScheduleDefinition('agent', agent, timezone) ?? []),
        ...ofGraphs.flatMap((graph) => toScheduleDefinition('graph', graph, timezone) ?? []),
      ]
    },
    async find({ kind, id }: TaskSubject): Promise<ScheduleDefinition | undefined> {
      const set = await (kind === 'agent' ? agents : graphs).find(id)
      return set === undefined ? undefined : toScheduleDefinition(kind, set, timezone)
    },
  }
}

/** Further away no calendar is reckoned with: near the last date there is, no next one could be told. */
const furthestMs = Date.UTC(9900, 0)
const isCounted = (time: number) => Math.abs(time) <= furthestMs

/** The next times behind an instant. */
function listTimes({ times, clock }: ReadSchedule, from: number, count: number): string[] {
  const found: string[] = []
  let time = nextFire(times, clock, from)
  while (time !== undefined && found.length < count) {
    found.push(new Date(time).toISOString())
    time = nextFire(times, clock, time)
  }
  return found
}
