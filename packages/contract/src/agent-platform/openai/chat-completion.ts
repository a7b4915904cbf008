import * as z from 'zod/mini'
import { Reasoning } from '../model-settings.ts'
import { orAbsent } from '../values.ts'
import { maxTokens, OpenAiContent, OpenAiFormat, sharedRequestFields } from './request-fields.ts'

/** A message of a chat completion. `system` and `developer` messages are added to the agent's instructions. */
export const ChatCompletionMessage = z.object({
  /** `system`, `developer`, `user`, `assistant` or `tool`. */
  role: z.string(),
  content: orAbsent(OpenAiContent),
  /** Calls of the client's tools, in an assistant message. */
  tool_calls: orAbsent(z.array(z.unknown())),
  /** Id of the answered call, in a `tool` message. */
  tool_call_id: orAbsent(z.string()),
})
export type ChatCompletionMessage = z.infer<typeof ChatCompletionMessage>

/** Request of `POST /v1/chat/completions`. Unlisted fields are ignored. */
export const ChatCompletionRequest = z.object({
  ...sharedRequestFields,
  /** The whole history. It must end with the user's task, or with results of calls from an earlier response. */
  messages: z.array(ChatCompletionMessage).check(z.minLength(1), z.maxLength(1000)),
  stream_options: orAbsent(
    z.object({
      /** Whether the last chunk before `[DONE]` contains the usage. Default false. */
      include_usage: orAbsent(z.boolean()),
    }),
  ),
  max_tokens: maxTokens,
  /** Newer name of `max_tokens`. If both are set, this one applies. */
  max_completion_tokens: maxTokens,
  /** Strings that end the model's output. */
  stop: orAbsent(
    z.union([z.string(), z.array(z.string())], { error: 'must be a string or a list of strings' }),
  ),
  seed: orAbsent(z.int()),
  /** Becomes `model_settings.reasoning` of the run. */
  reasoning_effort: orAbsent(Reasoning),
  /**
   * Becomes `output_schema` of the run: `{"type": "json_schema", "json_schema": {"schema": …}}`, or any JSON object.
   */
  response_format: orAbsent(OpenAiFormat),
  /** Only 1 is supported. */
  n: orAbsent(z.number()),
  /** Rejected unless empty. Use `tools`. */
  functions: orAbsent(z.array(z.unknown())),
})
export type ChatCompletionRequest = z.infer<typeof ChatCompletionRequest>

/** Reason why a completion ended. */
export const ChatFinishReason = z.enum(['stop', 'length', 'tool_calls'])

/** Tokens of a chat completion, summed over all model calls of the run. */
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
  /** `chatcmpl-` followed by the run's id. */
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
        /** Null if the model only called tools. */
        content: z.nullable(z.string()),
        refusal: z.null(),
        /** Calls of the client's tools. Append their results to the next request. */
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
  /** Present if the request asks for the usage: null in every chunk except the last. */
  readonly usage?: ChatCompletionUsage | null
}
