import * as z from 'zod/mini'
import { Reasoning } from '../model-settings.ts'
import { orAbsent } from '../values.ts'
import { maxTokens, OpenAiContent, OpenAiFormat, sharedRequestFields } from './request-fields.ts'

/** A message of a chat completion. `system` and `developer` messages are added to the agent's own instructions. */
export const ChatCompletionMessage = z.object({
  /** `system`, `developer`, `user`, `assistant` or `tool`. */
  role: z.string(),
  content: orAbsent(OpenAiContent),
  /** Of an assistant message: calls of tools of the caller. */
  tool_calls: orAbsent(z.array(z.unknown())),
  /** Of a `tool` message: the call whose result it is. */
  tool_call_id: orAbsent(z.string()),
})
export type ChatCompletionMessage = z.infer<typeof ChatCompletionMessage>

/** Request of `POST /v1/chat/completions`. Fields that are not listed are ignored. */
export const ChatCompletionRequest = z.object({
  ...sharedRequestFields,
  /** The whole history. The last message is the task of the user, or the last ones are results of calls that a reply had. */
  messages: z.array(ChatCompletionMessage).check(z.minLength(1), z.maxLength(1000)),
  stream_options: orAbsent(
    z.object({
      /** Whether the last chunk before `[DONE]` holds the usage. Default false. */
      include_usage: orAbsent(z.boolean()),
    }),
  ),
  max_tokens: maxTokens,
  /** The newer name of `max_tokens`; it wins. */
  max_completion_tokens: maxTokens,
  /** Strings at which the model stops. */
  stop: orAbsent(
    z.union([z.string(), z.array(z.string())], { error: 'must be a string or a list of strings' }),
  ),
  seed: orAbsent(z.int()),
  /** `model_settings.reasoning` of the run. */
  reasoning_effort: orAbsent(Reasoning),
  /** `output_schema` of the run: `{"type": "json_schema", "json_schema": {"schema": …}}`, or any object. */
  response_format: orAbsent(OpenAiFormat),
  /** Only 1 is supported. */
  n: orAbsent(z.number()),
  /** Rejected unless empty. Use `tools`. */
  functions: orAbsent(z.array(z.unknown())),
})
export type ChatCompletionRequest = z.infer<typeof ChatCompletionRequest>

/** Why a completion ended. */
export const ChatFinishReason = z.enum(['stop', 'length', 'tool_calls'])

/** Tokens of a chat completion: of all model calls of the run. */
export const ChatCompletionUsage = z.object({
  prompt_tokens: z.number(),
  completion_tokens: z.number(),
  total_tokens: z.number(),
  prompt_tokens_details: z.object({ cached_tokens: z.number() }),
  completion_tokens_details: z.object({ reasoning_tokens: z.number() }),
})
export type ChatCompletionUsage = z.infer<typeof ChatCompletionUsage>

/** Response of `POST /v1/chat/completions` without `stream`. */
export const ChatCompletion = z.object({
  /** `chatcmpl-` and the run's id. */
  id: z.string(),
  object: z.literal('chat.completion'),
  /** Seconds since the epoch. */
  created: z.number(),
  model: z.string(),
  choices: z.array(
    z.object({
      index: z.number(),
      message: z.object({
        role: z.literal('assistant'),
        /** Null if the model only calls tools. */
        content: z.nullable(z.string()),
        refusal: z.null(),
        /** Calls of tools of the caller, whose results the next request ends with. */
        tool_calls: z.optional(
          z.array(
            z.object({
              id: z.string(),
              type: z.literal('function'),
              function: z.object({ name: z.string(), arguments: z.string() }),
            }),
          ),
        ),
      }),
      logprobs: z.null(),
      finish_reason: ChatFinishReason,
    }),
  ),
  usage: ChatCompletionUsage,
})
export type ChatCompletion = z.infer<typeof ChatCompletion>

/** One event of a streamed chat completion. */
export interface ChatCompletionChunk {
  readonly id: string
  readonly object: 'chat.completion.chunk'
  readonly created: number
  readonly model: string
  readonly choices: readonly {
    readonly index: 0
    readonly delta: {
      readonly role?: 'assistant'
      readonly content?: string
      readonly tool_calls?: readonly {
        readonly index: number
        readonly id?: string
        readonly type?: 'function'
        readonly function: { readonly name?: string; readonly arguments: string }
      }[]
    }
    readonly logprobs: null
    readonly finish_reason: z.infer<typeof ChatFinishReason> | null
  }[]
  /** Present if the request asks for usage: null in every chunk but the last. */
  readonly usage?: ChatCompletionUsage | null
}
