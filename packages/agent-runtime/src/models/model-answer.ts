import type {
  LanguageModelV4Content,
  LanguageModelV4File,
  LanguageModelV4FinishReason,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
} from '@ai-sdk/provider'

/** A tool call of a {@link ModelAnswer}. */
interface CompletedCall {
  readonly id: string
  readonly name: string
  /** JSON text of the arguments. */
  readonly input: string
}

/** A file of a {@link ModelAnswer}. */
export interface AnsweredFile {
  /** Such as `image/png`. */
  readonly mediaType: string
  /** The bytes, or their base64. */
  readonly data: Uint8Array | string
}

/** What a model that is no provider's answers: for the built-in and the scripted one. */
export interface ModelAnswer {
  readonly reasoning?: string
  /** Text, in the pieces in which it is streamed. */
  readonly text: readonly string[]
  /** Files behind the text. @default none */
  readonly files?: readonly AnsweredFile[]
  readonly calls: readonly CompletedCall[]
  readonly usage: LanguageModelV4Usage
  readonly finish: LanguageModelV4FinishReason['unified']
}

/** Parts of a usage that only some providers tell. */
export interface UsageDetails {
  /** Input that was read from the provider's cache. */
  readonly cached?: number | undefined
  /** Input that was written to the provider's cache. */
  readonly cacheWrite?: number | undefined
  /** Output that is reasoning. */
  readonly reasoning?: number | undefined
}

/** Usage of so many tokens; `undefined` for what a provider does not tell. */
export function toModelUsage(
  input: number | undefined,
  output: number | undefined,
  { cached, cacheWrite, reasoning }: UsageDetails = {},
): LanguageModelV4Usage {
  const noCache = input === undefined ? undefined : input - (cached ?? 0) - (cacheWrite ?? 0)
  return {
    inputTokens: { total: input, noCache, cacheRead: cached, cacheWrite },
    outputTokens: { total: output, text: output, reasoning },
  }
}

/** The parts in which an answer is streamed. Without `finished`, the stream breaks off behind its content. */
export function toStreamParts(answer: ModelAnswer, finished = true): LanguageModelV4StreamPart[] {
  const parts: LanguageModelV4StreamPart[] = [{ type: 'stream-start', warnings: [] }]
  if (answer.reasoning !== undefined) {
    parts.push(
      { type: 'reasoning-start', id: 'reasoning' },
      { type: 'reasoning-delta', id: 'reasoning', delta: answer.reasoning },
      { type: 'reasoning-end', id: 'reasoning' },
    )
  }
  if (answer.text.length > 0) {
    parts.push({ type: 'text-start', id: 'text' })
    for (const delta of answer.text) parts.push({ type: 'text-delta', id: 'text', delta })
    parts.push({ type: 'text-end', id: 'text' })
  }
  parts.push(...(answer.files ?? []).map(toFilePart))
  for (const { id, name, input } of answer.calls) {
    parts.push({ type: 'tool-call', toolCallId: id, toolName: name, input })
  }
  if (finished) parts.push({ type: 'finish', usage: answer.usage, finishReason: toFinish(answer) })
  return parts
}

/** The same answer in one piece. */
export function toGenerateResult(answer: ModelAnswer): LanguageModelV4GenerateResult {
  const content: LanguageModelV4Content[] = []
  if (answer.reasoning !== undefined) content.push({ type: 'reasoning', text: answer.reasoning })
  if (answer.text.length > 0) content.push({ type: 'text', text: answer.text.join('') })
  content.push(...(answer.files ?? []).map(toFilePart))
  for (const { id, name, input } of answer.calls) {
    content.push({ type: 'tool-call', toolCallId: id, toolName: name, input })
  }
  return { content, finishReason: toFinish(answer), usage: answer.usage, warnings: [] }
}

const toFilePart = ({ mediaType, data }: AnsweredFile): LanguageModelV4File => ({
  type: 'file',
  mediaType,
  data: { type: 'data', data },
})

/** How a stream goes on behind its parts: it ends, stays open, or breaks. */
type StreamEnding = 'end' | 'hang' | { readonly error: unknown }

/** A stream that gives `parts`, and then does what `ending` says. */
export function streamOf(
  parts: readonly LanguageModelV4StreamPart[],
  ending: StreamEnding = 'end',
): ReadableStream<LanguageModelV4StreamPart> {
  let next = 0
  return new ReadableStream({
    pull(controller) {
      const part = parts[next++]
      if (part) controller.enqueue(part)
      else if (ending === 'end') controller.close()
      else if (ending !== 'hang') controller.error(ending.error)
    },
  })
}

const toFinish = (answer: ModelAnswer): LanguageModelV4FinishReason => ({
  unified: answer.finish,
  raw: answer.finish,
})
