import type {
  LanguageModelV4CallOptions,
  LanguageModelV4Message,
  LanguageModelV4ToolResultPart,
} from '@ai-sdk/provider'

import { filePartTokens } from '../../files/prompt-files.ts'

type EstimateTokens = (text: string) => number
type Part = Exclude<LanguageModelV4Message['content'], string>[number]
type Output = LanguageModelV4ToolResultPart['output']

/** Estimates the tokens of prompts. Messages that were counted before are not read again. */
export interface PromptTokens {
  ofMessage(message: LanguageModelV4Message): number
  ofTools(tools: LanguageModelV4CallOptions['tools']): number
  /** Of everything that a call sends. */
  ofCall(call: Pick<LanguageModelV4CallOptions, 'prompt' | 'tools'>): number
}

/** Tokens around a message or a part on the wire. */
const overhead = 4

export function createPromptTokens(estimate: EstimateTokens): PromptTokens {
  const known = new WeakMap<object, number>()

  const once = (key: object, count: () => number): number => {
    const found = known.get(key)
    if (found !== undefined) return found
    const tokens = count()
    known.set(key, tokens)
    return tokens
  }
  const ofMessage = (message: LanguageModelV4Message) =>
    once(message, () => countMessage(message, estimate) + overhead)
  const ofTools = (tools: LanguageModelV4CallOptions['tools']) =>
    tools?.length ? once(tools, () => estimate(JSON.stringify(tools))) : 0

  return {
    ofMessage,
    ofTools,
    ofCall: ({ prompt, tools }) =>
      prompt.reduce((sum, message) => sum + ofMessage(message), 0) + ofTools(tools),
  }
}

function countMessage({ content }: LanguageModelV4Message, estimate: EstimateTokens): number {
  if (typeof content === 'string') return estimate(content)
  const parts: readonly Part[] = content
  return parts.reduce((sum, part) => sum + countPart(part, estimate) + overhead, 0)
}

function countPart(part: Part, estimate: EstimateTokens): number {
  if (part.type === 'text' || part.type === 'reasoning') return estimate(part.text)
  if (part.type === 'tool-call') return estimate(part.toolName) + estimate(JSON.stringify(part.input) ?? '')
  if (part.type === 'tool-result') return estimate(part.toolName) + countOutput(part.output, estimate)
  return part.type === 'file' ? filePartTokens(part) : 0
}

function countOutput(output: Output, estimate: EstimateTokens): number {
  if (output.type === 'text' || output.type === 'error-text') return estimate(output.value)
  if (output.type === 'json' || output.type === 'error-json') return estimate(JSON.stringify(output.value))
  if (output.type !== 'content') return overhead
  return output.value.reduce((sum, part) => {
    if (part.type === 'text') return sum + estimate(part.text)
    return part.type === 'file' ? sum + filePartTokens(part) : sum
  }, 0)
}
