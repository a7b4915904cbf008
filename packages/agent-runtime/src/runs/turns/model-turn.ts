import type {
  LanguageModelV4File,
  LanguageModelV4FinishReason,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
  SharedV4ProviderMetadata,
} from '@ai-sdk/provider'
import { onAbort } from '@homeward/kit'
import { yieldToEventLoop } from '../../concurrency/yield-to-event-loop.ts'
import type { AssistantPart, FilePart, SourcePart, ToolCallPart } from '../../ports/message.ts'
import { cut } from '../../json/to-json.ts'
import { addCall } from './add-call.ts'
import { toHostedCall, toHostedResult, type HostedPart } from './hosted-part.ts'
import { addSource, keepUntitled } from './turn-sources.ts'
import { toWarningText } from './model-warnings.ts'
import { brokeOff, noAnswer } from './answer-faults.ts'

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
  /** Whether the provider stopped in the middle of its own tool calls: called again, it goes on with them. */
  isPaused: boolean
  /** What the provider warned of. */
  warnings: readonly string[]
  /** Whether the answer was JSON, where a stream was asked for. */
  answeredJson: boolean
  /** Sources that wait for a title, by address; made for the first of them. */
  untitled: Map<string, SourcePart> | undefined
  /** Text blocks that are still growing, by the provider's id; made for the first of them. */
  open: Map<string, OpenPart> | undefined
}

/** Gets each piece of text or reasoning as it comes. */
export type OnDelta = (delta: string, type: 'text' | 'reasoning') => void

/** What hears of a turn while it is read. */
export interface TurnListeners {
  readonly onDelta: OnDelta
  /** Gets each source as it comes. @returns whether it belongs to the turn @default none does */
  readonly onSource?: (source: SourcePart) => boolean
  /** Stores each file as it comes. @returns the part of the turn that stands for it @default files are left out */
  readonly onFile?: (file: LanguageModelV4File) => Promise<FilePart | undefined>
  /** Gets what the provider's own tools do. @default nobody does */
  readonly onHosted?: (part: HostedPart) => void
}

/** Characters of hosted tools in one turn. */
const maxHostedChars = 4_000_000
const tooMuchFound = `the tools of the provider returned more than ${maxHostedChars} characters`

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

export const createModelTurn = (): ModelTurn => ({
  parts: [],
  calls: [],
  hasBegun: false,
  chars: 0,
  hostedChars: 0,
  usage: undefined,
  finish: undefined,
  isPaused: false,
  warnings: [],
  answeredJson: false,
  untitled: undefined,
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
  listeners: TurnListeners,
  signal: AbortSignal,
): Promise<void> {
  const reader = stream.getReader()
  // Cancelling settles a read under way, also when the provider does not heed the signal.
  const stop = () => void reader.cancel(signal.reason).catch(() => {})
  const forget = onAbort(signal, stop)
  try {
    if (signal.aborted) stop()
    for (let part = 1; ; part += 1) {
      if (part % partsAtOnce === 0) await yieldToEventLoop()
      const { done, value } = await reader.read()
      if (signal.aborted) throw signal.reason
      if (done) break
      if (value.type === 'file') await addFile(turn, value, listeners)
      else addPart(turn, value, maxChars, listeners)
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
    keepUntitled(turn, listeners)
  }
  if (turn.finish === undefined || turn.finish === 'interrupted') {
    // A page of HTML reads as a stream without a single event.
    throw new BrokenAnswer(turn.hasBegun ? brokeOff : noAnswer)
  }
  if (turn.finish === 'error') throw new BrokenAnswer('the provider ended the response with an error')
}

function addPart(
  turn: ModelTurn,
  part: LanguageModelV4StreamPart,
  maxChars: number,
  listeners: TurnListeners,
): void {
  // oxlint-disable-next-line typescript/switch-exhaustiveness-check -- the rest is for display, or was not asked for
  switch (part.type) {
    case 'stream-start':
      turn.warnings = part.warnings.map(toWarningText)
      break
    case 'text-start':
    case 'reasoning-start':
      openPart(turn, part.type === 'text-start' ? 'text' : 'reasoning', part)
      break
    case 'text-delta':
    case 'reasoning-delta': {
      const type = part.type === 'text-delta' ? 'text' : 'reasoning'
      const delta = grow(turn, type, part, maxChars)
      if (delta) listeners.onDelta(delta, type)
      break
    }
    case 'text-end':
    case 'reasoning-end':
      closePart(turn, part)
      if (part.type === 'text-end')
        for (const { source } of part.citations ?? []) addSource(turn, source, listeners)
      break
    case 'tool-input-delta':
      turn.hasBegun = true
      turn.chars += part.delta.length
      break
    case 'tool-call':
      if (part.providerExecuted) addHosted(turn, toHostedCall(part), listeners)
      else addCall(turn, part)
      break
    case 'tool-result':
      if (!part.preliminary) addHosted(turn, toHostedResult(part), listeners)
      break
    case 'source':
      addSource(turn, part, listeners)
      break
    case 'finish':
      turn.usage = part.usage
      turn.finish = part.finishReason.unified
      turn.isPaused = part.finishReason.raw === 'pause_turn'
      break
    case 'error':
      throw part.error
    default:
  }
}

async function addFile(turn: ModelTurn, part: LanguageModelV4File, { onFile }: TurnListeners): Promise<void> {
  turn.hasBegun = true
  const file = await onFile?.(part)
  if (file) turn.parts.push(file)
}

function addHosted(turn: ModelTurn, part: HostedPart, { onHosted }: TurnListeners): void {
  turn.hasBegun = true
  turn.hostedChars += JSON.stringify(part).length
  if (turn.hostedChars > maxHostedChars) throw new BrokenAnswer(tooMuchFound)
  turn.parts.push(part)
  onHosted?.(part)
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
