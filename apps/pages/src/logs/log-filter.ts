import { journalEventTypes, type JournalEvent } from '@homeward/contract/agent-platform'

/** Which events are shown, as the address of the page has it. Empty texts stand for all. */
export interface LogFilter {
  /** A kind such as `task.failed`, a family such as `task`, or nothing. */
  readonly type: string
  readonly runId: string
  readonly agentId: string
  /** Only what went wrong. */
  readonly onlyProblems: boolean
}

/** A choice of the field for kinds. */
interface TypeOption {
  readonly value: string
  readonly label: string
}

const familyOf = (type: string) => type.slice(0, type.indexOf('.'))

const families = [...new Set(journalEventTypes.map(familyOf))]

/** All kinds, each family before its members. */
export const typeOptions: readonly TypeOption[] = [
  { value: 'all', label: 'All events' },
  ...families.flatMap((family) => [
    { value: family, label: `All of ${family}` },
    ...journalEventTypes
      .filter((type) => familyOf(type) === family)
      .map((type) => ({ value: type, label: type })),
  ]),
]

/** The kinds that a choice stands for; undefined for all. A kind that this page does not know stands for itself. */
export function typesOf(type: string): readonly string[] | undefined {
  if (type === '') return undefined
  const family = journalEventTypes.filter((each) => familyOf(each) === type)
  return family.length > 0 ? family : [type]
}

/** Kinds that tell of something that went wrong, whatever they hold. */
const problemTypes = new Set(['task.failed', 'schedule.missed', 'channel.failed'])

/** Whether an event tells of something that went wrong. */
export function isProblem({ type, data }: JournalEvent): boolean {
  if (problemTypes.has(type)) return true
  return data['error'] !== undefined || data['ok'] === false || data['success'] === false
}

/** Whether an event is shown, as far as the platform does not filter. */
export function isShown(event: JournalEvent, { agentId, onlyProblems }: LogFilter): boolean {
  if (agentId !== '' && event.data['agent_id'] !== agentId) return false
  return !onlyProblems || isProblem(event)
}

/** The filter that an address has. */
export function readLogFilter(search: URLSearchParams): LogFilter {
  const read = (name: string) => search.get(name) ?? ''
  return {
    type: read('type'),
    runId: read('run'),
    agentId: read('agent'),
    onlyProblems: read('problems') === 'yes',
  }
}

/** The address that a filter has. */
export function toLogSearch({ type, runId, agentId, onlyProblems }: LogFilter): Record<string, string> {
  return {
    ...(type !== '' && { type }),
    ...(runId !== '' && { run: runId }),
    ...(agentId !== '' && { agent: agentId }),
    ...(onlyProblems && { problems: 'yes' }),
  }
}
