import type { AnswerSource, Json, RunStep } from '@homeward/contract/agent-platform'
import type { FilePart, ModelMessage, SourcePart, ToolCallPart, ToolResult } from '../ports/message.ts'
import type { Redactor } from '../secrets/redact.ts'

/** The finished tool calls that messages hold, without secrets that a model gave as arguments. */
export function toSteps(messages: readonly ModelMessage[], redact: Redactor): RunStep[] {
  const steps: RunStep[] = []
  let calls: readonly ToolCallPart[] = []
  for (const message of messages) {
    if (message.role === 'assistant') calls = callsOf(message)
    else if (message.role === 'tool')
      steps.push(...message.results.flatMap((one) => stepsOf(one, calls, redact)))
  }
  return steps
}

/** A finished tool call, for the result of a run, behind the calls that its program made. */
export const stepsOf = (result: ToolResult, calls: readonly ToolCallPart[], redact: Redactor): RunStep[] => [
  ...(result.inner ?? []).map((one) => toStep(one, [], redact, one.args)),
  toStep(result, calls, redact),
]

function toStep(
  { id, name: tool, result = null, error, edited_args: edited }: ToolResult,
  calls: readonly ToolCallPart[],
  redact: Redactor,
  given: Json = calls.find((call) => call.id === id)?.args ?? {},
): RunStep {
  const args = redact.json(edited ?? given)
  return error === undefined ? { tool, args, result } : { tool, args, error }
}

/** The text of the newest answer. */
export function lastText(messages: readonly ModelMessage[]): string {
  const parts = lastAnswer(messages)?.parts ?? []
  return parts.map((part) => (part.type === 'text' ? part.text : '')).join('')
}

/** Sources of all answers. */
export const sourcesOf = (messages: readonly ModelMessage[]): SourcePart[] =>
  messages.flatMap((message) => {
    return message.role === 'assistant' ? message.parts.filter((part) => part.type === 'source') : []
  })

/** What the answers rest on: pages, and passages of documents. */
export function answerSources(messages: readonly ModelMessage[]): AnswerSource[] {
  return messages.flatMap((message): readonly AnswerSource[] => {
    if (message.role === 'tool') return message.results.flatMap(({ sources: cited = [] }) => cited)
    if (message.role === 'user') return []
    return message.parts.flatMap((part) => (part.type === 'source' ? [toShownSource(part)] : []))
  })
}

const toShownSource = ({ url, title }: SourcePart): AnswerSource => ({
  url,
  ...(title !== undefined && { title }),
})

/** Files of all answers. */
export const modelFilesOf = (messages: readonly ModelMessage[]): FilePart[] =>
  messages.flatMap((message) => {
    return message.role === 'assistant' ? message.parts.filter((part) => part.type === 'file') : []
  })

/** Calls of the newest answer, in order. */
export function lastCalls(messages: readonly ModelMessage[]): ToolCallPart[] {
  const answer = lastAnswer(messages)
  return answer ? callsOf(answer) : []
}

/** Calls of the newest answer that have no result yet. */
export function openCalls(messages: readonly ModelMessage[]): ToolCallPart[] {
  const answered = new Set<string>()
  for (const message of messages.toReversed()) {
    if (message.role === 'user') continue
    if (message.role !== 'tool') break
    for (const { id } of message.results) answered.add(id)
  }
  return lastCalls(messages).filter(({ id }) => !answered.has(id))
}

type Correction = Extract<ModelMessage, { role: 'user' }> & {
  readonly corrects: NonNullable<Extract<ModelMessage, { role: 'user' }>['corrects']>
}

/** Whether a message says what is wrong with the output before it. */
export const isCorrection = (message: ModelMessage | undefined): message is Correction =>
  message?.role === 'user' && message.corrects !== undefined

/** What a conversation gets of a run: outputs that were corrected, and the corrections, are left out. */
export const withoutCorrections = (messages: readonly ModelMessage[]): readonly ModelMessage[] =>
  messages.flatMap((message, index) => {
    const isCorrected = message.role === 'assistant' && isCorrection(messages[index + 1])
    return isCorrected || isCorrection(message) ? [] : withoutInner(message)
  })

function ownResult(result: ToolResult): ToolResult {
  const { inner: _, ...own } = result
  return own
}

/** Calls of programs stay in their run: no prompt holds them. */
function withoutInner(message: ModelMessage): ModelMessage {
  if (message.role !== 'tool' || !message.results.some(({ inner }) => inner)) return message
  return { ...message, results: message.results.map((result) => ownResult(result)) }
}

type Answer = Extract<ModelMessage, { role: 'assistant' }>

const lastAnswer = (messages: readonly ModelMessage[]) =>
  messages.findLast((message): message is Answer => message.role === 'assistant')

const callsOf = ({ parts }: Answer) => parts.filter((part) => part.type === 'tool_call')

/** Whether a message has files that a model would read. */
export function holdsFiles(message: ModelMessage): boolean {
  if (message.role === 'user') return message.files !== undefined
  if (message.role === 'tool') return message.results.some(({ files }) => files !== undefined)
  return message.parts.some(({ type }) => type === 'file')
}
