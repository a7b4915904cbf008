import { APICallError } from '@ai-sdk/provider'

/** A provider's rejection of a prompt that is too long, with the numbers that it reported. */
export interface Overflow {
  /** Tokens that the model takes. */
  readonly windowTokens?: number
  /** Tokens of the rejected prompt, as the provider counted them. */
  readonly promptTokens?: number
  /** Whether prompt and largest answer together were too long, not the prompt alone. */
  readonly isWithOutput: boolean
}

/** How providers and servers of models say that a prompt is too long. */
const saysTooLong = [
  /context[ _-]?(?:length|window|size|limit)[ _-]?exceeded|exceed_context_size/i, // OpenAI, llama.cpp
  /prompt is too long|input is too long|input length and `?max_tokens`? exceed/i, // Anthropic, Bedrock
  /request_too_large|request (?:entity |exceeds the maximum )?(?:too large|size)/i,
  /input token count.{0,40}exceeds|exceeds the maximum number of tokens/i, // Google
  /maximum (?:context|prompt|model|input) (?:length|size|window)|maximum allowed (?:input|prompt) length/i, // OpenRouter, vLLM, xAI
  /exceeds?\b.{0,40}\bcontext (?:length|window|size|limit)|(?:larger|greater|longer) than (?:the|its) (?:max\w* )?context/i,
  /context (?:length|window|size)\b.{0,60}\bexceed|context the overflows|context overflow/i, // LM Studio, Ollama
  /(?:prompt|input) (?:is )?too long|(?:prompt|input|request) exceed(?:s|ed)? (?:the )?(?:max|model|token|length)/i, // Ollama, Moonshot, Z.AI
  /too large for model with \d+|too many (?:input )?tokens|exceeds the limit of \d+/i, // Mistral, Cohere, Azure
  /reduce the length of the (?:messages|prompt|input)|range of input length should be/i, // Groq, Qwen
  /`?inputs`? (?:tokens|must have less than)/i, // Text Generation Inference, Together
]

/** Rate limits in tokens pass, and do not depend on the model's window. */
const saysRate = /per[ -]?min|\bTPM\b|rate[ _]?limit|quota/i

const number = String.raw`(\d[\d,_]*\d)`
const pattern = (text: string) => new RegExp(text.replaceAll('#', number), 'i')

/** Patterns for the window; the first match counts. */
const windowPatterns = [
  pattern(String.raw`"n_ctx"\s*:\s*#`),
  pattern(String.raw`n_ctx\s*[:=]\s*#`),
  pattern(String.raw`\d(?: tokens)?(?: \+ \d+)? > #`),
  pattern(String.raw`\d tokens of #`),
  pattern(
    String.raw`(?:context|prompt|model|input) (?:length|size|window|limit)(?: of only| of| is|:)?\s*\(?#`,
  ),
  pattern(String.raw`maximum number of tokens(?: allowed)?\s*\(?#`),
  pattern(String.raw`too large for model with #`),
  pattern(String.raw`(?:exceeds?|exceeded).{0,30}limit(?: of|:)?\s*#`),
  pattern(String.raw`(?:must be <=|less than) #`),
  pattern(String.raw`should be \[\d+, #\]`),
]

/** Patterns for the size of the prompt; the first match counts. */
const promptPatterns = [
  pattern(String.raw`"n_prompt_tokens"\s*:\s*#`),
  pattern(String.raw`n_keep\s*[:=]\s*#`),
  pattern(String.raw`# (?:in the messages|of text input|input tokens)`),
  pattern(String.raw`(?:prompt|messages|request) (?:contains|resulted in|has|length|\(length)\s*#`),
  pattern(String.raw`#(?: tokens)?(?: \+ \d+)? > \d`),
  pattern(String.raw`# tokens of \d`),
  pattern(String.raw`(?:token count|tokens requested|requested(?: about)?|request)\s*(?:of\s*)?\(?#`),
  pattern(String.raw`Given: #`),
  pattern(String.raw`size: # tokens`),
]

/** Longer error texts are cut before they are searched. */
const maxChars = 4000
const smallestWindow = 200
const largestWindow = 100_000_000

/** Reads the error of a model call. @returns undefined if the error is not about the length of the prompt. */
export function readOverflow(cause: unknown): Overflow | undefined {
  const status = APICallError.isInstance(cause) ? cause.statusCode : undefined
  if (status === 429 || status === 401 || status === 403) return undefined
  const text = textOf(cause)
  const isTooLong = saysTooLong.some((each) => each.test(text))
  if (!isTooLong && status !== 413) return undefined
  if (status !== 413 && saysRate.test(text)) return undefined
  const windowTokens = saysRate.test(text) ? undefined : find(windowPatterns, text)
  const promptTokens = find(promptPatterns, text)
  return {
    isWithOutput: /max_(?:completion_|new_)?tokens|in the completion|of (?:the )?output|\d+ \+ \d+ >/i.test(
      text,
    ),
    ...(windowTokens !== undefined && { windowTokens }),
    ...(promptTokens !== undefined && { promptTokens }),
  }
}

/** How providers say that a request has too many bytes, which is not about tokens. */
const saysTooManyBytes =
  /request_too_large|payload (?:size|too large)|(?:request|body) (?:entity |exceeds the maximum )?(?:too large|size)|entity too large|\d ?(?:bytes|[KM]i?B)\b/i

/** Whether an error says that the request has too many bytes. */
export function saysTooLarge(cause: unknown): boolean {
  if (!APICallError.isInstance(cause)) return false
  if (cause.statusCode === 413) return true
  return cause.statusCode === 400 && saysTooManyBytes.test(textOf(cause))
}

function find(patterns: readonly RegExp[], text: string): number | undefined {
  for (const each of patterns) {
    const found = Number(each.exec(text)?.[1]?.replaceAll(/[,_]/g, ''))
    if (found >= smallestWindow && found <= largestWindow) return found
  }
  return undefined
}

/** All texts of an error: its body, or an error inside a stream. */
function textOf(cause: unknown): string {
  if (typeof cause === 'string') return cause.slice(0, maxChars)
  if (APICallError.isInstance(cause)) {
    return `${cause.message} ${cause.responseBody ?? toText(cause.data)}`.slice(0, maxChars)
  }
  const message = cause instanceof Error ? cause.message : ''
  return `${message} ${toText(cause)}`.slice(0, maxChars)
}

function toText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? ''
  } catch {
    return ''
  }
}
