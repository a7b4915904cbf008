import type { Agent, Graph } from '@homeward/contract/agent-platform'
import type { ScheduleStore, ScheduleSubject, StoredSchedule } from '../store/ports/schedule-store.ts'
import type { TaskSubject } from '../store/ports/task-store.ts'
import { toOwnDefinition, toScheduleDefinition, type ScheduleDefinition } from './schedule-definition.ts'

/** Where agents or graphs are. */
export interface Definitions<Definition> {
  list(signal?: AbortSignal): Promise<Definition[]>
  find(id: string, signal?: AbortSignal): Promise<Definition | undefined>
}

/** What {@link createScheduleDefinitions} is built from. */
interface ScheduleDefinitionsOptions {
  readonly store: Pick<ScheduleStore, 'findSchedule' | 'listSchedules'>
  readonly agents: Definitions<Agent>
  readonly graphs: Definitions<Graph>
  /** Time zone of schedules that name none. */
  readonly timezone: string
}

/** A schedule, with what it was read from. */
export interface SetSchedule {
  readonly definition: ScheduleDefinition
  /** The agent or graph that it runs. */
  readonly set: Agent | Graph
  /** Absent for the schedule field of an agent or a graph. */
  readonly own?: StoredSchedule
}

/** The schedules as they are set. */
export interface ScheduleDefinitions {
  /** The fields of agents, the fields of graphs, then schedules of their own. */
  list(signal?: AbortSignal): Promise<SetSchedule[]>
  /** One of its own whose agent or graph is gone is gone, too. */
  find(subject: ScheduleSubject, signal?: AbortSignal): Promise<SetSchedule | undefined>
  /** The agent or graph that a schedule runs. */
  findSet(runs: TaskSubject, signal?: AbortSignal): Promise<Agent | Graph | undefined>
}

/** The schedules of agents and graphs: their fields, and those of their own. */
export function createScheduleDefinitions(options: ScheduleDefinitionsOptions): ScheduleDefinitions {
  const { store, agents, graphs, timezone } = options

  const findSet = ({ kind, id }: TaskSubject, signal?: AbortSignal) =>
    kind === 'agent' ? agents.find(id, signal) : graphs.find(id, signal)

  const ofField = (kind: TaskSubject['kind'], set: Agent | Graph): SetSchedule | undefined => {
    const definition = toScheduleDefinition(kind, set, timezone)
    return definition && { definition, set }
  }
  const ofOwn = (own: StoredSchedule, set: Agent | Graph | undefined): SetSchedule | undefined =>
    set && { definition: toOwnDefinition(own, set, timezone), set, own }

  return {
    findSet,
    async list(signal) {
      // first: one that was deleted with its agent since is left out
      const owns = await store.listSchedules(signal)
      const [ofAgents, ofGraphs] = await Promise.all([agents.list(signal), graphs.list(signal)])
      const setOf = {
        agent: new Map<string, Agent | Graph>(ofAgents.map((each) => [each.id, each])),
        graph: new Map<string, Agent | Graph>(ofGraphs.map((each) => [each.id, each])),
      }
      return [
        ...ofAgents.flatMap((agent) => ofField('agent', agent) ?? []),
        ...ofGraphs.flatMap((graph) => ofField('graph', graph) ?? []),
        ...owns.flatMap((own) => ofOwn(own, setOf[own.runs.kind].get(own.runs.id)) ?? []),
      ]
    },
    async find(subject, signal) {
      if (subject.kind !== 'schedule') {
        const set = await findSet(subject, signal)
        return set && ofField(subject.kind, set)
      }
      const own = await store.findSchedule(subject.id, signal)
      return own && ofOwn(own, await findSet(own.runs, signal))
    },
  }
}
