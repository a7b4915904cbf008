import type { RunEvent, RunStep } from '@homeward/contract/agent-platform'
import type { ModelMessage, ToolResult } from '../ports/message.ts'
import type { RunEventBatch, RunFinish, StoredRun } from '../ports/run-store.ts'
import { fromJson } from '../sql/json.ts'

/**
 * What a run leaves behind, as JSON: text takes a fraction of what thousands of objects take. Events and result repeat
 * what tools gave; what is the very same object there as in the messages is kept with the messages only.
 */
export interface EndedRun {
  /** Of `ModelMessage[]`. */
  readonly messages: string
  /** Of the steps, without their messages. */
  readonly batches: string
  readonly result: string
}

/** Events of a step. */
export interface StepBatch extends RunEventBatch {
  readonly lastSeq: number
}

/** An event as it is kept: its data, or where they stand. */
type KeptEvent = RunEvent | { readonly event: 'tool_call'; readonly at: number } | KeptDone
interface KeptDone {
  readonly event: 'done'
  /** What the result does not hold. */
  readonly more: object
}

type Result = RunFinish['result']

export function toEnded(
  steps: readonly StepBatch[],
  messages: readonly ModelMessage[],
  result: Result,
): EndedRun {
  const results = resultsIn(messages)
  let place = 0
  const keep = (event: RunEvent): KeptEvent => {
    if (event.event === 'done') return keepDone(event, result)
    if (event.event !== 'tool_call') return event
    const at = results[place] === event.data ? place : results.findIndex((result) => result === event.data)
    if (at === -1) return event
    place = at + 1
    return { event: 'tool_call', at }
  }
  const batches = steps.map(({ firstSeq, lastSeq, events }) => ({
    firstSeq,
    lastSeq,
    events: events.map(keep),
  }))
  const repeats = 'steps' in result && isRepeated(result.steps, messages)
  return {
    messages: JSON.stringify(messages),
    batches: JSON.stringify(batches),
    result: JSON.stringify(repeats ? { ...result, steps: null } : result),
  }
}

/** The events of a run that has ended. */
export function batchesOf({ messages, batches, result }: EndedRun): StepBatch[] {
  const known = fromJson<ModelMessage[]>(messages)
  const results = resultsIn(known)
  const complete = (event: KeptEvent): RunEvent => {
    if ('at' in event) return { event: 'tool_call', data: results[event.at] } as RunEvent // it was there
    if (!('more' in event)) return event
    return { event: 'done', data: { ...event.more, ...toResult(result, known) } } as RunEvent // as it was
  }
  return fromJson<(Omit<StepBatch, 'events'> & { readonly events: readonly KeptEvent[] })[]>(batches).map(
    (batch) => ({ ...batch, events: batch.events.map(complete) }),
  )
}

/** The result of a run that has ended. */
export function resultOf({ messages, result }: EndedRun): StoredRun['result'] {
  return toResult(result, undefined, messages)
}

/** Only its result. */
export function onlyResult(ended: EndedRun): EndedRun {
  return { messages: '[]', batches: '[]', result: JSON.stringify(resultOf(ended)) }
}

function toResult(text: string, known: readonly ModelMessage[] | undefined, messages = '[]'): Result {
  const result = fromJson<Result & { readonly steps?: readonly RunStep[] | null }>(text)
  if (result.steps !== null) return result
  const steps = stepsIn(known ?? fromJson<ModelMessage[]>(messages))
  return { ...result, steps }
}

/** An event that repeats the result of its run, without it. */
function keepDone(event: Extract<RunEvent, { event: 'done' }>, result: Result): KeptEvent {
  const more = new Map<string, unknown>(Object.entries(event.data))
  for (const [name, value] of Object.entries(result)) {
    if (more.get(name) !== value) return event
    more.delete(name)
  }
  return { event: 'done', more: Object.fromEntries(more) }
}

/** Whether these are the very steps that the messages tell of. */
function isRepeated(steps: readonly RunStep[], messages: readonly ModelMessage[]): boolean {
  const told = stepsIn(messages)
  return (
    told.length === steps.length &&
    steps.every((step, index) => {
      const other = told[index]
      return (
        step.tool === other?.tool &&
        step.args === other.args &&
        step.result === other.result &&
        step.error === other.error
      )
    })
  )
}

function stepsIn(messages: readonly ModelMessage[]): RunStep[] {
  const steps: RunStep[] = []
  let calls: ModelMessage | undefined
  for (const message of messages) {
    if (message.role === 'assistant') calls = message
    if (message.role !== 'tool') continue
    for (const { id, name, result, error } of message.results) {
      const args = argsOf(calls, id)
      steps.push(
        error === undefined ? { tool: name, args, result: result ?? null } : { tool: name, args, error },
      )
    }
  }
  return steps
}

function argsOf(message: ModelMessage | undefined, id: string): RunStep['args'] {
  if (message?.role !== 'assistant') return {}
  for (const part of message.parts) if (part.type === 'tool_call' && part.id === id) return part.args
  return {}
}

function resultsIn(messages: readonly ModelMessage[]): ToolResult[] {
  const results: ToolResult[] = []
  for (const message of messages) if (message.role === 'tool') results.push(...message.results)
  return results
}
