import type { TaskDraft } from './task-draft.ts'
import { noWorkOptions, type WorkOptions } from './work-options.ts'

/** What was typed where a graph is run, for a task that does the same. */
export type HandedOverWork = Pick<TaskDraft, 'task' | 'options'>

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
