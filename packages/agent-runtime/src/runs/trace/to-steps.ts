import type { Json, JsonObject, StepAttempt, TraceStep } from '@homeward/contract/agent-platform'
import type { InnerCall, ModelMessage, ToolCallPart, ToolResult } from '../../ports/message.ts'
import { withoutNamedSecrets, type Redactor } from '../../secrets/redact.ts'
import type { ModelSpan, RunSpan, ToolSpan } from '../../store/ports/run-trace.ts'
import { toCost } from '../cost.ts'
import type { OpenSpan, RunView } from './run-view.ts'

/** A step before it is numbered and cut, and where it is in the run's messages. */
export interface PlacedStep extends Omit<TraceStep, 'index' | 'cut'> {
  readonly place: StepPlace
}

/** Where a step begins: behind so many messages of the run, and for a tool before which call of the last one. */
export interface StepPlace {
  readonly messages: number
  readonly call?: number
  /** Of a call that a program made: its place among those of the program. */
  readonly inner?: number
}

/** The steps of an agent's run: each model call, and behind it the calls that it asked for. */
export function toPlacedSteps(view: RunView, redact: Redactor): PlacedStep[] {
  const { messages, spans, open } = view
  const models = spans.filter((span): span is ModelSpan & RunSpan => span.kind === 'model')
  const steps: PlacedStep[] = []
  models.forEach((span, index) => {
    const hasAnswer = models[index + 1]?.at !== span.at && open?.at !== span.at
    const answer = hasAnswer ? messages[span.at] : undefined
    steps.push(toModelStep(view, span, answer, steps.length, redact))
    if (answer?.role === 'assistant') steps.push(...toToolSteps(view, span.at, answer, redact))
  })
  if (open) steps.push(toOpenStep(view, open, steps.length, redact))
  return steps
}

function toModelStep(
  view: RunView,
  span: ModelSpan & RunSpan,
  answer: ModelMessage | undefined,
  count: number,
  redact: Redactor,
): PlacedStep {
  const { at, model, usage, cost, error, startedAt, finishedAt } = span
  return {
    id: `m${at}.${count}`,
    type: 'model',
    name: model,
    status: error === undefined ? 'completed' : 'failed',
    input: redact.json(inputOf(view, at)),
    ...(answer && { output: redact.json(toShown(answer)) }),
    ...(error !== undefined && { error: redact.text(error) }),
    attempts: span.attempts.map((attempt): StepAttempt => {
      const why = attempt.error
      const times = { started_at: attempt.startedAt, finished_at: attempt.finishedAt }
      return { model: attempt.model, ...times, ...(why !== undefined && { error: redact.text(why) }) }
    }),
    ...(usage && { tokens: usage }),
    ...toCost(cost),
    ...timesOf(startedAt, finishedAt),
    ...(span.isReused && { reused: true }),
    place: { messages: at },
  }
}

function toOpenStep(view: RunView, open: OpenSpan, count: number, redact: Redactor): PlacedStep {
  const { at, model, startedAt, text } = open
  const attempts = open.attempts.map((attempt, index): StepAttempt => {
    const isLast = index === open.attempts.length - 1
    const ended = !isLast && { finished_at: attempt.finishedAt }
    const error = attempt.error !== undefined && { error: redact.text(attempt.error) }
    return { model: attempt.model, started_at: attempt.startedAt, ...ended, ...error }
  })
  return {
    id: `m${at}.${count}`,
    type: 'model',
    name: model,
    status: 'running',
    input: redact.json(inputOf(view, at)),
    ...(text !== '' && { output: { role: 'assistant', content: redact.text(text) } }),
    attempts,
    started_at: startedAt,
    place: { messages: at },
  }
}

/** The calls of an answer in their order, ended or not. */
function toToolSteps(
  view: RunView,
  at: number,
  answer: Extract<ModelMessage, { role: 'assistant' }>,
  redact: Redactor,
): PlacedStep[] {
  const calls = answer.parts.filter((part) => part.type === 'tool_call')
  const results = resultsBehind(view.messages, at)
  return calls.flatMap((call, index) => {
    const id = `t${at}.${index}`
    const place = { messages: at + 1, call: index }
    const result = results.get(call.id) ?? outcomeOf(view, at, call)
    const step = toToolStep(view, at, call, result, redact)
    const inner = innerOf(view, at, call, result).map((one, number): PlacedStep => {
      const { args: _, ...ended } = one
      const made: ToolCallPart = { type: 'tool_call', id: one.id, name: one.name, args: one.args }
      const isEnded = 'result' in one || one.error !== undefined
      const own = toToolStep(view, at, made, isEnded ? ended : undefined, redact)
      return { id: `${id}.${number}`, parent: id, ...own, place: { ...place, inner: number } }
    })
    return [{ id, ...step, place }, ...inner]
  })
}

function toToolStep(
  view: RunView,
  at: number,
  call: ToolCallPart,
  result: ToolResult | undefined,
  redact: Redactor,
): Omit<PlacedStep, 'id' | 'place'> {
  const span = spanOf(view, at, call.id)
  const error = result?.error === undefined ? undefined : redact.text(result.error)
  return {
    type: 'tool',
    name: call.name,
    status: statusOf(view, call, result),
    input: withoutNamedSecrets(redact.json(result?.edited_args ?? call.args)),
    ...(result && error === undefined && { output: redact.json(result.result ?? null) }),
    ...(error !== undefined && { error }),
    attempts: span ? [{ ...startAndEnd(span), ...(error !== undefined && { error }) }] : [],
    ...(span && timesOf(span.startedAt, span.finishedAt)),
    ...(span?.isReused && { reused: true as const }),
  }
}

/** The calls that the program of a call has made, those that have not ended too. */
function innerOf(
  { messages, effects }: RunView,
  at: number,
  { id }: ToolCallPart,
  result: ToolResult | undefined,
): readonly InnerCall[] {
  if (result) return result.inner ?? []
  if (messages.slice(at + 1).some(({ role }) => role === 'assistant')) return []
  const own = effects.filter(({ inner }) => inner?.of === id)
  const inOrder = own.toSorted((one, other) => (one.inner?.index ?? 0) - (other.inner?.index ?? 0))
  return inOrder.map(({ callId, tool, inner, outcome }) => ({
    ...(outcome && !outcome.isUnchecked ? outcome.result : { id: callId, name: tool }),
    args: inner?.args ?? null,
  }))
}

const startAndEnd = ({ startedAt, finishedAt }: ToolSpan) => ({
  started_at: startedAt,
  finished_at: finishedAt,
})

function statusOf(
  { run, waits }: RunView,
  call: ToolCallPart,
  result: ToolResult | undefined,
): TraceStep['status'] {
  if (result) return result.error === undefined ? 'completed' : 'failed'
  const asked = run.progress.asked ?? []
  const isAsked = waits.some(
    ({ callId, status, id }) => callId === call.id && status === 'open' && asked.includes(id),
  )
  if (isAsked || run.status === 'waiting') return 'waiting'
  return run.status === 'running' ? 'running' : 'failed'
}

/** Ids of calls count for one answer: providers use them again. */
function spanOf({ spans, messages }: RunView, at: number, callId: string) {
  const next = messages.slice(at + 1).findIndex(({ role }) => role === 'assistant')
  const end = next < 0 ? Infinity : at + 1 + next
  return spans.find(
    (span): span is ToolSpan & RunSpan =>
      span.kind === 'tool' && span.callId === callId && span.at > at && span.at <= end,
  )
}

function resultsBehind(messages: readonly ModelMessage[], at: number): ReadonlyMap<string, ToolResult> {
  const results = new Map<string, ToolResult>()
  for (const message of messages.slice(at + 1)) {
    if (message.role === 'assistant') break
    if (message.role === 'tool') for (const result of message.results) results.set(result.id, result)
  }
  return results
}

/** How a call of the newest answer ended that has no result yet, because others of the answer go on. */
function outcomeOf({ messages, effects }: RunView, at: number, { id }: ToolCallPart): ToolResult | undefined {
  if (messages.slice(at + 1).some(({ role }) => role === 'assistant')) return undefined
  const { outcome } = effects.find(({ callId }) => callId === id) ?? {}
  return outcome?.isUnchecked ? undefined : outcome?.result
}

const timesOf = (startedAt: string, finishedAt: string) => ({
  started_at: startedAt,
  finished_at: finishedAt,
  duration_ms: Math.max(0, Date.parse(finishedAt) - Date.parse(startedAt)),
})

/** What is new to a model that is called behind so many messages. */
function inputOf({ run, messages }: RunView, at: number): Json {
  const before = messages.slice(0, at)
  const last = before.findLastIndex(({ role }) => role === 'assistant')
  const fresh = before.slice(last + 1).map(toShown)
  if (last >= 0) return fresh
  const { files } = run
  const task: JsonObject = {
    role: 'user',
    content: run.progress.input?.task ?? run.task,
    ...(files && { files: files.map(({ id, name }) => ({ id, name })) }),
  }
  return [task, ...fresh]
}

/** A message as people see it: no reasoning, no data of the provider. */
export function toShown(message: ModelMessage): JsonObject {
  if (message.role === 'user') return { role: 'user', content: message.text }
  if (message.role === 'tool') {
    const content = message.results.map(({ id, name, result = null, error }) =>
      error === undefined ? { id, name, result } : { id, name, error },
    )
    return { role: 'tool', content }
  }
  const text = message.parts.map((part) => (part.type === 'text' ? part.text : '')).join('')
  const calls = message.parts.filter(({ type }) => type === 'tool_call' || type === 'hosted_call')
  const shown = calls.flatMap((part) =>
    part.type === 'tool_call' || part.type === 'hosted_call'
      ? [{ id: part.id, name: part.name, args: withoutNamedSecrets(part.args) }]
      : [],
  )
  return { role: 'assistant', content: text, ...(shown.length > 0 && { tool_calls: shown }) }
}
