import type {
  LanguageModelV4File,
  LanguageModelV4FinishReason,
  LanguageModelV4Prompt,
  LanguageModelV4Source,
  LanguageModelV4StreamPart,
  LanguageModelV4ToolCall,
  LanguageModelV4ToolResult,
  LanguageModelV4Usage,
  SharedV4ProviderMetadata,
} from '@ai-sdk/provider'
import type { Json } from '@homeward/contract/agent-platform'
import { isDeeperThan, onAbort, parseExactJson } from '@homeward/kit'
import type { UsedTokens } from '../../budgets/create-call-meter.ts'
import { yieldToEventLoop } from '../../concurrency/yield-to-event-loop.ts'
import { cut, hasRoundedInteger, toWellFormed } from '../../json/to-json.ts'
import type { AssistantPart, ProviderData, SourcePart, ToolCallPart } from '../../ports/message.ts'
import { toWarningText } from './model-warnings.ts'
import { createThoughtReader, splitThoughts, type ThoughtPiece, type ThoughtReader } from './thoughts.ts'

/** Said of what no model sends: a page of a proxy, or nothing at all. */
export const noAnswer =
  'the response of the provider is not a model response. Check the base URL if this happens again'

/** Said of an answer of which only a part came. */
export const brokeOff = 'the response ended early'

/** What a model has answered so far in one turn. */
export interface ModelTurn {
  /** Text and reasoning in the order they began, then the tool calls. */
  readonly parts: AssistantPart[]
  readonly calls: ToolCallPart[]
  /** Whether anything of the answer has come: from then on the call is not made again. */
  hasBegun: boolean
  /** Characters of the answer, whatever their kind. */
  chars: number
  usage: LanguageModelV4Usage | undefined
  finish: LanguageModelV4FinishReason['unified'] | undefined
  /** Characters of what the provider's own tools were asked and found. */
  hostedChars: number
  /** Whether the package of the model rounds integers beyond 2^53. */
  readonly roundsIntegers: boolean
  /** What the model read, as it was fitted to its window. */
  prompt: LanguageModelV4Prompt | undefined
  /** Whether the provider stopped in the middle of its own tool calls: called again, it goes on with them. */
  isPaused: boolean
  /** What the provider warned of. */
  warnings: readonly string[]
  /** Whether the answer was JSON, where a stream was asked for. */
  answeredJson: boolean
  /** Sources that wait for a title, by address; made for the first of them. */
  untitled: Map<string, SourcePart> | undefined
  /** Reads thoughts at the beginning of the text, until it is known that there are none. */
  thoughts: ThoughtReader | undefined
  /** Text blocks that are still growing, by the provider's id; made for the first of them. */
  open: Map<string, OpenPart> | undefined
}

/** What hears of a turn while it is read. */
export interface TurnListener {
  /** Gets each piece of text or reasoning as it comes. */
  onDelta(delta: string, type: 'text' | 'reasoning'): void
  /** Gets what is neither text nor a call of a tool of ours, and `end` if a source waits for a title. @default nobody does */
  onPart?(turn: ModelTurn, part: OtherPart): void | Promise<void>
}

/** What an answer may hold besides text and calls. */
export type OtherPart =
  | LanguageModelV4File
  | LanguageModelV4Source
  | LanguageModelV4ToolCall
  | LanguageModelV4ToolResult
  | { readonly type: 'end' }

/** Parts that are read before others get their turn: a model in this process, or one whose answer is here, never waits. */
const partsAtOnce = 50

interface OpenPart {
  readonly type: 'text' | 'reasoning'
  text: string
  provider_data?: SharedV4ProviderMetadata
}

/** What is wrong with a stream, besides errors of its own. */
export class BrokenAnswer extends Error {
  override readonly name = 'BrokenAnswer'
}

export const createModelTurn = (roundsIntegers = false): ModelTurn => ({
  roundsIntegers,
  parts: [],
  calls: [],
  hasBegun: false,
  chars: 0,
  hostedChars: 0,
  prompt: undefined,
  usage: undefined,
  finish: undefined,
  isPaused: false,
  warnings: [],
  answeredJson: false,
  untitled: undefined,
  thoughts: createThoughtReader(),
  open: undefined,
})

/** The text of a turn, as people read it. */
export function turnText(turn: Pick<ModelTurn, 'parts'>): string {
  let text = ''
  for (const part of turn.parts) if (part.type === 'text') text += part.text
  return text
}

/**
 * Reads a model's stream into `turn`, which keeps what came when it breaks off. An abort ends the stream at once.
 *
 * @throws {unknown} the signal's reason, the stream's own error, or a {@link BrokenAnswer}.
 */
export async function readModelTurn(
  stream: ReadableStream<LanguageModelV4StreamPart>,
  turn: ModelTurn,
  maxChars: number,
  listener: TurnListener,
  signal: AbortSignal,
): Promise<void> {
  const reader = stream.getReader()
  // Cancelling settles a read under way, also when the provider does not heed the signal.
  const stop = () => void reader.cancel(signal.reason).catch(() => {})
  const forget = onAbort(signal, stop)
  try {
    if (signal.aborted) stop()
    for (let count = 1; ; count += 1) {
      if (count % partsAtOnce === 0) await yieldToEventLoop()
      const { done, value } = await reader.read()
      if (signal.aborted) throw signal.reason
      if (done) break
      if (!addPart(turn, value, maxChars, listener)) await addOther(turn, value, listener)
      if (turn.chars > maxChars) {
        turn.finish = 'length'
        stop()
        return
      }
    }
  } catch (error) {
    stop() // an error part leaves the stream open
    throw signal.aborted ? signal.reason : error
  } finally {
    forget()
    if (turn.untitled) await listener.onPart?.(turn, { type: 'end' })
  }
  const parts = splitThoughts(turn.parts)
  if (parts !== turn.parts) turn.parts.splice(0, turn.parts.length, ...parts)
  if (turn.finish === undefined || turn.finish === 'interrupted') {
    // A page of HTML reads as a stream without a single event.
    throw new BrokenAnswer(turn.hasBegun ? brokeOff : noAnswer)
  }
  if (turn.finish === 'error') throw new BrokenAnswer('the provider ended the response with an error')
}

/** @returns false for a part that somebody else has to read */
function addPart(
  turn: ModelTurn,
  part: LanguageModelV4StreamPart,
  maxChars: number,
  listener: TurnListener,
): boolean {
  // oxlint-disable-next-line typescript/switch-exhaustiveness-check -- the rest is read by others
  switch (part.type) {
    case 'stream-start':
      if (part.warnings.length > 0) turn.warnings = part.warnings.map(toWarningText)
      return true
    case 'text-start':
    case 'reasoning-start':
      openPart(turn, part.type === 'text-start' ? 'text' : 'reasoning', part)
      return true
    case 'text-delta':
    case 'reasoning-delta': {
      const type = part.type === 'text-delta' ? 'text' : 'reasoning'
      if (type === 'text' && turn.thoughts)
        readThoughts(turn, part, turn.thoughts.read(part.delta), maxChars, listener)
      else tellGrowth(turn, type, part, maxChars, listener)
      return true
    }
    case 'text-end':
    case 'reasoning-end':
      if (part.type === 'text-end' && turn.thoughts)
        readThoughts(turn, part, turn.thoughts.end(), maxChars, listener)
      closePart(turn, part)
      return part.type === 'reasoning-end' || part.citations === undefined
    case 'tool-input-delta':
      turn.hasBegun = true
      turn.chars += part.delta.length
      return true
    case 'tool-call':
      if (part.providerExecuted) return false
      addCall(turn, part)
      return true
    case 'finish':
      turn.usage = part.usage
      turn.finish = part.finishReason.unified
      turn.isPaused = part.finishReason.raw === 'pause_turn'
      return true
    case 'error':
      throw part.error
    default:
      return part.type !== 'file' && part.type !== 'source' && part.type !== 'tool-result'
  }
}

async function addOther(
  turn: ModelTurn,
  part: LanguageModelV4StreamPart,
  listener: TurnListener,
): Promise<void> {
  // oxlint-disable-next-line typescript/switch-exhaustiveness-check -- the rest is for display, or was not asked for
  switch (part.type) {
    case 'text-end':
      for (const { source } of part.citations ?? []) await tellOther(turn, source, listener)
      break
    case 'file':
    case 'source':
    case 'tool-call':
      await tellOther(turn, part, listener)
      break
    case 'tool-result':
      if (!part.preliminary) await tellOther(turn, part, listener)
      break
    default:
  }
}

async function tellOther(turn: ModelTurn, part: OtherPart, listener: TurnListener): Promise<void> {
  turn.hasBegun = true
  await listener.onPart?.(turn, part)
}

const rounded =
  'Not called: a number beyond 2^53 was rounded on its way. Write such a number as a string, or leave it out'

/** Adds a tool call of the model to its turn, under an id that no other call of the turn has. */
function addCall(turn: ModelTurn, part: LanguageModelV4ToolCall): void {
  turn.hasBegun = true
  const args = parseArguments(part.input)
  const call: ToolCallPart = {
    type: 'tool_call',
    id: isFree(turn, part.toolCallId) ? part.toolCallId : toFreeId(turn, part.toolCallId || 'call'),
    name: part.toolName,
    args,
    ...(turn.roundsIntegers && hasRoundedInteger(args) && { refused: rounded }),
    // provider metadata is JSON by its contract
    ...(part.providerMetadata && { provider_data: part.providerMetadata as ProviderData }),
  }
  turn.calls.push(call)
  turn.parts.push(call)
}

const isFree = ({ calls }: ModelTurn, id: string) => Boolean(id) && !calls.some((call) => call.id === id)

/** Some servers give no id, or the same one to all calls of a turn: results are told apart by it. */
function toFreeId(turn: ModelTurn, given: string): string {
  let number = turn.calls.length + 1
  while (!isFree(turn, `${given}-${number}`)) number += 1
  return `${given}-${number}`
}

/** As bodies of requests. What walks deeper values, as redaction and storing do, overflows its stack. */
const maxDepth = 100

/** Arguments as the model wrote them; the text itself when it is no JSON, or nests too deeply to be kept. */
export function parseArguments(input: string): Json {
  if (/^\s*(?:null\s*)?$/.test(input)) return {} // some models write `null` for no arguments
  try {
    const isWhole = !/\\u[dD][89a-fA-F]/.test(input) // a model may write half of a surrogate pair as an escape
    const value = parseExactJson(input, isWhole ? undefined : toWellFormed) as Json // JSON.parse gives nothing else
    return isDeeperThan(value, maxDepth) ? input : value
  } catch {
    return input
  }
}

/** Grows by the pieces that a text was told apart into. Thoughts stand before the text. */
function readThoughts(
  turn: ModelTurn,
  block: Block,
  pieces: readonly ThoughtPiece[],
  maxChars: number,
  listener: TurnListener,
): void {
  turn.hasBegun = true
  for (const { type, delta } of pieces) {
    if (type === 'text') tellGrowth(turn, type, { ...block, delta }, maxChars, listener)
    else {
      const id = `${block.id}:thought`
      if (!turn.open?.has(id)) openThought(turn, id, block.id)
      tellGrowth(turn, type, { id, delta }, maxChars, listener)
    }
  }
  if (turn.thoughts?.isDone) turn.thoughts = undefined
}

function openThought(turn: ModelTurn, id: string, textId: string): void {
  const text = turn.open?.get(textId)
  openPart(turn, 'reasoning', { id })
  const thought = turn.parts.pop()
  const at = turn.parts.findIndex((part) => part === text)
  if (thought) turn.parts.splice(at < 0 ? turn.parts.length : at, 0, thought)
}

function tellGrowth(
  turn: ModelTurn,
  type: OpenPart['type'],
  block: Block & { readonly delta: string },
  maxChars: number,
  listener: TurnListener,
): void {
  const delta = grow(turn, type, block, maxChars)
  if (delta) listener.onDelta(delta, type)
}

type Block = { readonly id: string; readonly providerMetadata?: SharedV4ProviderMetadata }

function openPart(turn: ModelTurn, type: OpenPart['type'], block: Block): OpenPart {
  const opened: OpenPart = { type, text: '' }
  if (block.providerMetadata) opened.provider_data = block.providerMetadata
  turn.open ??= new Map()
  turn.open.set(block.id, opened)
  turn.parts.push(opened as AssistantPart) // provider metadata is JSON by its contract
  return opened
}

/** @returns what it grew by: of a delta that goes beyond the longest answer, its first part. */
function grow(
  turn: ModelTurn,
  type: OpenPart['type'],
  block: Block & { readonly delta: string },
  maxChars: number,
): string {
  const known = turn.open?.get(block.id)
  const part = known?.type === type ? known : openPart(turn, type, block)
  const delta = cut(block.delta, maxChars - turn.chars)
  part.text += delta
  turn.chars += block.delta.length
  if (block.delta) turn.hasBegun = true
  if (block.providerMetadata) part.provider_data = { ...part.provider_data, ...block.providerMetadata }
  return delta
}

function closePart(turn: ModelTurn, block: Block): void {
  const part = turn.open?.get(block.id)
  if (part && block.providerMetadata)
    part.provider_data = { ...part.provider_data, ...block.providerMetadata }
  turn.open?.delete(block.id)
}

/** No text has more: what is larger, nobody has counted. */
const mostTokens = 1_000_000_000

/**
 * Tokens as a provider or a host counted them, rounded up: stores keep whole numbers, and sum them up.
 *
 * @returns undefined for what is no number of tokens.
 */
export function countedTokens(count: number | undefined): number | undefined {
  if (typeof count !== 'number' || !(count >= 0 && count <= mostTokens)) return undefined
  return Math.ceil(count)
}

/**
 * Tokens of a model call. `input` is undefined if the provider did not count it. It includes what the cache gave and got, also
 * of a provider that counts that apart.
 */
export function tokensOf(estimateTokens: (text: string) => number, turn: ModelTurn): UsedTokens {
  const { inputTokens, outputTokens } = turn.usage ?? {}
  // no prompt has no tokens: some servers report 0 for what they do not count
  const total = countedTokens(inputTokens?.total) || undefined
  const cacheRead = countedTokens(inputTokens?.cacheRead) ?? 0
  const cacheWrite = countedTokens(inputTokens?.cacheWrite) ?? 0
  return {
    input: total === undefined ? undefined : Math.max(total, cacheRead + cacheWrite),
    output: countedTokens(outputTokens?.total) || estimateOutput(estimateTokens, turn),
    cacheRead,
    cacheWrite,
  }
}

function estimateOutput(estimateTokens: (text: string) => number, turn: ModelTurn): number {
  const calls = turn.calls.length > 0 ? JSON.stringify(turn.calls) : ''
  return estimateTokens(turnText(turn) + calls)
}
