import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4StreamPart,
} from '@ai-sdk/provider'
import { playTurn, toolName, type PlayedTurn } from './task.ts'

const usage = {
  inputTokens: { total: 10, noCache: 10, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 5, text: 5, reasoning: undefined },
}

/** A language model of the AI SDK's interface that answers at once, streaming or not. */
export function createZeroLatencyModel(): LanguageModelV4 {
  return {
    specificationVersion: 'v4',
    provider: 'bench',
    modelId: 'zero-latency',
    supportedUrls: {},
    doGenerate: async (call) => {
      const turn = playTurn(lastCallId(call))
      return { content: [toContent(turn)], finishReason: toFinish(turn), usage, warnings: [] }
    },
    doStream: async (call) => ({ stream: streamOf(toParts(playTurn(lastCallId(call)))) }),
  }
}

function lastCallId({ prompt }: LanguageModelV4CallOptions): string | undefined {
  const last = prompt.at(-1)
  const part = last?.role === 'tool' ? last.content[0] : undefined
  return part?.type === 'tool-result' ? part.toolCallId : undefined
}

function toFinish(turn: PlayedTurn) {
  const unified = 'text' in turn ? 'stop' : 'tool-calls'
  return { unified, raw: unified } as const
}

function toContent(turn: PlayedTurn): LanguageModelV4Content {
  if ('text' in turn) return { type: 'text', text: turn.text }
  return { type: 'tool-call', toolCallId: turn.callId, toolName, input: turn.args }
}

function toParts(turn: PlayedTurn): LanguageModelV4StreamPart[] {
  const finish: LanguageModelV4StreamPart = { type: 'finish', usage, finishReason: toFinish(turn) }
  if (!('text' in turn)) {
    const { callId: id, args } = turn
    return [
      { type: 'stream-start', warnings: [] },
      { type: 'tool-input-start', id, toolName },
      { type: 'tool-input-delta', id, delta: args },
      { type: 'tool-input-end', id },
      { type: 'tool-call', toolCallId: id, toolName, input: args },
      finish,
    ]
  }
  return [
    { type: 'stream-start', warnings: [] },
    { type: 'text-start', id: 'text' },
    { type: 'text-delta', id: 'text', delta: turn.text },
    { type: 'text-end', id: 'text' },
    finish,
  ]
}

function streamOf(parts: readonly LanguageModelV4StreamPart[]): ReadableStream<LanguageModelV4StreamPart> {
  return new ReadableStream({
    start(controller) {
      for (const part of parts) controller.enqueue(part)
      controller.close()
    },
  })
}
