import type { RunEvent, RunResult, RunStep, Usage } from '@homeward/contract/agent-platform'
import type { ModelMessage, ToolCallPart, ToolResult } from '../ports/message.ts'
import type { RunEventBatch, RunFinish } from '../store/ports/run-store.ts'
import { decodeJson, encodeJson, type EncodedJson } from './encoded-json.ts'
import { decodeMessages, encodeMessages } from './encoded-messages.ts'

/**
 * What a run leaves behind. Events and result repeat what the model asked for and what tools gave; what is the very same
 * object there as in the messages is kept with the messages only.
 */
export interface EndedRun {
  /** By {@link encodeMessages}. */
  readonly messages: EncodedJson
  /** Of {@link KeptRest}. */
  readonly rest: EncodedJson
  /** Whether all but the result is gone. @default false */
  readonly isBare?: boolean
}

/** Events of a step. */
export interface StepBatch extends RunEventBatch {
  readonly lastSeq: number
}

/** An event as it is kept: itself, or where the messages tell of it. */
type KeptEvent = RunEvent | Place | KeptUsage | KeptDone
/** The n-th call of the messages, which begins; `-1 - n`: the n-th result, with which a call ended. */
type Place = number
/** What `usage` tells, which each turn does: input, output and cached tokens. */
type KeptUsage = readonly [input: number, output: number, cached?: number]
interface KeptDone {
  readonly event: 'done'
  /** What the result does not hold. */
  readonly more: object
}

type Result = RunFinish['result']
/** Its steps are those that the messages tell of. */
type StepsInMessages = Omit<RunResult, 'steps'> & { readonly steps: null }
type KeptResult = Result | StepsInMessages

/** What a run leaves behind besides its messages. */
interface KeptRest {
  readonly result: KeptResult
  /** The steps, without their messages. */
  readonly batches: readonly KeptBatch[]
}
type KeptBatch = readonly [firstSeq: number, lastSeq: number, ...events: readonly KeptEvent[]]

export function toEnded(
  steps: readonly StepBatch[],
  messages: readonly ModelMessage[],
  result: Result,
): EndedRun {
  const placeOfCall = createFinder(
    callsIn(messages),
    (call, data: ToolStart) => call.args === data.args && call.id === data.id && call.name === data.name,
  )
  const placeOfResult = createFinder(resultsIn(messages), (one, data: object) => one === data)
  const keep = (event: RunEvent): KeptEvent => {
    if (event.event === 'tool_start') return placeOfCall(event.data) ?? event
    if (event.event === 'usage') return keepUsage(event)
    if (event.event === 'done') return keepDone(event, result)
    if (event.event !== 'tool_call') return event
    const place = placeOfResult(event.data)
    return place === undefined ? event : -1 - place
  }
  const batches = steps.map(({ firstSeq, lastSeq, events }): KeptBatch => [
    firstSeq,
    lastSeq,
    ...events.map(keep),
  ])
  const repeats = 'steps' in result && isRepeated(result.steps, messages)
  return toEncoded(messages, { result: repeats ? { ...result, steps: null } : result, batches })
}

type ToolStart = Extract<RunEvent, { event: 'tool_start' }>['data']

/** Finds the place of what is told in some order; nearly always that is the order in which it stands. */
function createFinder<Item, Told>(items: readonly Item[], isSame: (item: Item, told: Told) => boolean) {
  let next = 0
  return (told: Told): number | undefined => {
    const item = items[next]
    const place =
      item !== undefined && isSame(item, told) ? next : items.findIndex((other) => isSame(other, told))
    if (place === -1) return undefined
    next = place + 1
    return place
  }
}

/** The events of a run that has ended. */
export function batchesOf({ messages, rest }: EndedRun): StepBatch[] {
  const known = decodeMessages(messages)
  const { batches, result } = decodeJson<KeptRest>(rest)
  const calls = callsIn(known)
  const results = resultsIn(known)
  const complete = (event: KeptEvent): RunEvent => {
    if (typeof event === 'number') {
      return event < 0
        ? ({ event: 'tool_call', data: results[-1 - event] } as RunEvent) // it was there
        : { event: 'tool_start', data: toStart(calls[event]!) } // it was found there
    }
    if ('length' in event) return { event: 'usage', data: toUsage(event) }
    if (!('more' in event)) return event
    return { event: 'done', data: { ...event.more, ...toResult(result, known) } } as RunEvent // as it was
  }
  return batches.map(([firstSeq, lastSeq, ...events]) => ({
    firstSeq,
    lastSeq,
    events: events.map(complete),
  }))
}

const toStart = ({ id, name, args }: ToolCallPart): ToolStart => ({ id, name, args })

/** The result of a run that has ended. */
export function resultOf({ messages, rest }: EndedRun): Result {
  const { result } = decodeJson<KeptRest>(rest)
  return hasSteps(result) ? result : toResult(result, decodeMessages(messages))
}

/** Only its result. Who has no more is left alone: old runs are looked at again and again. */
export function onlyResult(ended: EndedRun): EndedRun {
  if (ended.isBare) return ended
  return { ...toEncoded([], { result: resultOf(ended), batches: [] }), isBare: true }
}

function toEncoded(messages: readonly ModelMessage[], rest: KeptRest): EndedRun {
  return { messages: encodeMessages(messages), rest: encodeJson(rest) }
}

function toResult(result: KeptResult, messages: readonly ModelMessage[]): Result {
  return hasSteps(result) ? result : { ...result, steps: stepsIn(messages) }
}

const hasSteps = (result: KeptResult): result is Result => !('steps' in result) || result.steps !== null

function keepUsage({ data }: Extract<RunEvent, { event: 'usage' }>): KeptUsage {
  const { input_tokens, output_tokens, cached_input_tokens: cached } = data
  return cached === undefined ? [input_tokens, output_tokens] : [input_tokens, output_tokens, cached]
}

function toUsage([input_tokens, output_tokens, cached]: KeptUsage): Usage {
  const usage = { input_tokens, output_tokens }
  return cached === undefined ? usage : { ...usage, cached_input_tokens: cached }
}

/** An event that repeats the result of its run, without it. */
function keepDone(event: Extract<RunEvent, { event: 'done' }>, result: Result): KeptEvent {
  const data: Readonly<Record<string, unknown>> = { ...event.data }
  const told: Readonly<Record<string, unknown>> = { ...result }
  for (const name in told) if (data[name] !== told[name]) return event
  const more: Record<string, unknown> = {}
  for (const name in data) if (!(name in told)) more[name] = data[name]
  return { event: 'done', more }
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

function callsIn(messages: readonly ModelMessage[]): ToolCallPart[] {
  const calls: ToolCallPart[] = []
  for (const message of messages) {
    if (message.role !== 'assistant') continue
    for (const part of message.parts) if (part.type === 'tool_call') calls.push(part)
  }
  return calls
}

function resultsIn(messages: readonly ModelMessage[]): ToolResult[] {
  const results: ToolResult[] = []
  for (const message of messages) if (message.role === 'tool') results.push(...message.results)
  return results
}
