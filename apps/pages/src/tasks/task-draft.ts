import type { Budget, JsonObject, Agent, Graph } from '@homeward/contract/agent-platform'
import type { SelectOption } from '../components/fields/select-field.tsx'

/** A task as it is typed. */
export interface TaskDraft {
  readonly worker: Worker
  readonly task: string
  readonly priority: number
  readonly maxAttempts: number | undefined
  /** Of an agent's task. */
  readonly conversationId: string
  readonly limits: {
    readonly max_turns?: number | undefined
    readonly max_tokens?: number | undefined
    readonly max_runtime?: number | undefined
  }
  readonly options: WorkOptions
}

/** A task to begin with. */
export function newTaskDraft(worker: Worker): TaskDraft {
  return {
    worker,
    task: '',
    priority: 0,
    maxAttempts: undefined,
    conversationId: '',
    limits: {},
    options: noWorkOptions,
  }
}

/** What a task needs and this one does not have, by the field where it belongs. */
export function missingIn({
  worker: { agentId, graphId },
  task,
}: TaskDraft): Readonly<Record<string, string>> {
  return {
    ...(agentId === undefined && graphId === undefined && { worker: 'Choose an agent or a graph.' }),
    ...(task.trim() === '' && { task: 'Enter the task.' }),
  }
}

/** @returns the request that creates it. @throws {Error} that says what is wrong. */
export function toTaskRequest({
  worker,
  task,
  priority,
  maxAttempts,
  conversationId,
  limits,
  options,
}: TaskDraft) {
  const { agentId, graphId } = worker
  const set = Object.entries(limits).filter(([, value]) => value !== undefined)
  return {
    ...(agentId !== undefined ? { agent_id: agentId } : { graph_id: graphId }),
    task,
    ...(priority !== 0 && { priority }),
    ...(maxAttempts !== undefined && { max_attempts: maxAttempts }),
    ...(agentId !== undefined && conversationId !== '' && { conversation_id: conversationId }),
    ...(agentId !== undefined && set.length > 0 && { limits: Object.fromEntries(set) }),
    ...toWorkFields(options),
  }
}

/** What can be said about a piece of work besides what it is, as it is typed. Empty texts and `undefined` are not sent. */
export interface WorkOptions {
  readonly userId: string
  readonly idempotencyKey: string
  /** A JSON object. */
  readonly metadata: string
  readonly maxTokens: number | undefined
  readonly maxUsd: number | undefined
  readonly period: NonNullable<Budget['period']>
}

/** Nothing is said. */
export const noWorkOptions: WorkOptions = {
  userId: '',
  idempotencyKey: '',
  metadata: '',
  maxTokens: undefined,
  maxUsd: undefined,
  period: 'run',
}

/** The fields of a request that they stand for. */
interface WorkFields {
  readonly user_id?: string
  readonly idempotency_key?: string
  readonly metadata?: JsonObject
  readonly budget?: {
    readonly max_tokens?: number
    readonly max_usd?: number
    readonly period: WorkOptions['period']
  }
}

/** Fields of a request that its answer may name, as far as they are shown here. */
export const workFieldNames: readonly string[] = [
  'user_id',
  'idempotency_key',
  'metadata',
  'budget',
  'budget.max_tokens',
  'budget.max_usd',
]

/** @returns the fields to send. @throws {Error} when the metadata is not a JSON object. */
export function toWorkFields(options: WorkOptions): WorkFields {
  const { userId, idempotencyKey, metadata, maxTokens, maxUsd, period } = options
  const budget = {
    ...(maxTokens !== undefined && { max_tokens: maxTokens }),
    ...(maxUsd !== undefined && { max_usd: maxUsd }),
  }
  return {
    ...(userId !== '' && { user_id: userId }),
    ...(idempotencyKey !== '' && { idempotency_key: idempotencyKey }),
    ...(metadata.trim() !== '' && { metadata: parseMetadata(metadata) }),
    ...(Object.keys(budget).length > 0 && { budget: { ...budget, period } }),
  }
}

/** @throws {Error} that says what is wrong with the text. */
export function parseMetadata(text: string): JsonObject {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw new Error('The metadata is not JSON. Write an object, such as {"ticket": 42}.', { cause })
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonObject // it was JSON
  throw new Error('The metadata is not a JSON object. Write one, such as {"ticket": 42}.')
}

/** Who does a task: an agent or a graph. */
export interface Worker {
  readonly agentId?: string | undefined
  readonly graphId?: string | undefined
}

type Named = Pick<Agent | Graph, 'id' | 'name'>

/** Agents and graphs as choices of one field, and the value of the one that is chosen. */
export function workerOptions(
  agents: readonly Named[],
  graphs: readonly Named[],
  { agentId, graphId }: Worker,
): { readonly options: readonly SelectOption[]; readonly value: string | undefined } {
  const value =
    agentId !== undefined ? `agent:${agentId}` : graphId !== undefined ? `graph:${graphId}` : undefined
  const options = [
    ...agents.map(({ id, name }) => ({ value: `agent:${id}`, label: labelOf('Agent', id, name) })),
    ...graphs.map(({ id, name }) => ({ value: `graph:${id}`, label: labelOf('Graph', id, name) })),
  ]
  // One that was deleted may still be meant.
  const isKnown = value === undefined || options.some((option) => option.value === value)
  return { options: isKnown ? options : [...options, { value, label: agentId ?? graphId ?? '' }], value }
}

const labelOf = (kind: string, id: string, name: string | undefined) =>
  name === undefined || name === id ? `${kind} ${id}` : `${kind} ${name} (${id})`

/** The agent or the graph that a choice stands for. */
export function workerOf(value: string): Worker {
  if (value.startsWith('agent:')) return { agentId: value.slice('agent:'.length) }
  return value.startsWith('graph:') ? { graphId: value.slice('graph:'.length) } : {}
}

/** What was typed where a graph is run, for a task that does the same. */
type HandedOverWork = Pick<TaskDraft, 'task' | 'options'>

/** The state of the history that hands work over to the page of a new task. The browser keeps it over a reload. */
export function handOver({ task, options }: HandedOverWork): object {
  return { work: { task, ...(options !== noWorkOptions && { options }) } }
}

/** What the page of a new task was opened with, if anything. */
export function readHandedOverWork(): HandedOverWork | undefined {
  const work = valueAt(history.state, 'work')
  const task = valueAt(work, 'task')
  if (typeof task !== 'string') return undefined
  const options = valueAt(work, 'options')
  return { task, options: isOptions(options) ? options : noWorkOptions }
}

function isOptions(value: unknown): value is WorkOptions {
  const isAmount = (name: string) => ['number', 'undefined'].includes(typeof valueAt(value, name))
  return (
    ['userId', 'idempotencyKey', 'metadata'].every((name) => typeof valueAt(value, name) === 'string') &&
    ['maxTokens', 'maxUsd'].every(isAmount) &&
    ['run', 'day', 'month'].some((period) => period === valueAt(value, 'period'))
  )
}

function valueAt(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}
