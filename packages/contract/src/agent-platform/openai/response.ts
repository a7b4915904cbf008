import * as z from 'zod/mini'
import { Reasoning } from '../model-settings.ts'
import { orAbsent } from '../values.ts'
import { maxTokens, OpenAiContent, OpenAiFormat, sharedRequestFields } from './request-fields.ts'

/** An item of a response's input: a message, or a reference to an earlier answer. Earlier reasoning is ignored. */
export const ResponseInputItem = z.object({
  /** `message` or `item_reference`. Default `message`. */
  type: orAbsent(z.string()),
  /** Of a reference: the id of the answer's message. */
  id: orAbsent(z.string().check(z.maxLength(300))),
  /** `system`, `developer`, `user` or `assistant`. */
  role: orAbsent(z.string()),
  content: orAbsent(OpenAiContent),
})
export type ResponseInputItem = z.infer<typeof ResponseInputItem>

/** Request of `POST /v1/responses`. Fields that are not listed are ignored, `store` among them. */
export const ResponseRequest = z.object({
  ...sharedRequestFields,
  /** The task as a string, or the whole history. The last item of the history must be the user's. */
  input: z.union([z.string(), z.array(ResponseInputItem).check(z.minLength(1), z.maxLength(1000))], {
    error: 'must be a string or a list of items',
  }),
  /** Added to the agent's own instructions. */
  instructions: orAbsent(z.string()),
  max_output_tokens: maxTokens,
  text: orAbsent(
    z.object({
      /** `output_schema` of the run: `{"type": "json_schema", "schema": …}`, or any object. */
      format: orAbsent(OpenAiFormat),
    }),
  ),
  reasoning: orAbsent(
    z.object({
      /** `model_settings.reasoning` of the run. */
      effort: orAbsent(Reasoning),
    }),
  ),
  /** Rejected: responses are not stored. */
  previous_response_id: orAbsent(z.string()),
  /** Rejected: name a conversation in the header `X-Homeward-Conversation`. */
  conversation: orAbsent(z.union([z.string(), z.looseObject({})])),
  /** Only false is supported. */
  background: orAbsent(z.boolean()),
})
export type ResponseRequest = z.infer<typeof ResponseRequest>

/** Tokens of a response: of all model calls of the run. */
export const ResponseUsage = z.object({
  input_tokens: z.number(),
  input_tokens_details: z.object({ cached_tokens: z.number() }),
  output_tokens: z.number(),
  output_tokens_details: z.object({ reasoning_tokens: z.number() }),
  total_tokens: z.number(),
})
export type ResponseUsage = z.infer<typeof ResponseUsage>

/** Text of a response. */
export const ResponseText = z.object({
  type: z.literal('output_text'),
  text: z.string(),
  annotations: z.array(z.unknown()),
  logprobs: z.array(z.unknown()),
})
export type ResponseText = z.infer<typeof ResponseText>

const ItemStatus = z.enum(['in_progress', 'completed', 'incomplete'])

/** The answer of the agent. */
export const ResponseOutputMessage = z.object({
  id: z.string(),
  type: z.literal('message'),
  status: ItemStatus,
  role: z.literal('assistant'),
  content: z.array(ResponseText),
})
export type ResponseOutputMessage = z.infer<typeof ResponseOutputMessage>

/** Response of `POST /v1/responses` without `stream`. */
export const OpenAiResponse = z.object({
  /** `resp_` and the run's id. */
  id: z.string(),
  object: z.literal('response'),
  /** Seconds since the epoch. */
  created_at: z.number(),
  status: z.enum(['in_progress', 'completed', 'incomplete', 'failed']),
  error: z.nullable(z.object({ code: z.string(), message: z.string() })),
  incomplete_details: z.nullable(z.object({ reason: z.literal('max_output_tokens') })),
  instructions: z.nullable(z.string()),
  max_output_tokens: z.nullable(z.number()),
  model: z.string(),
  output: z.array(ResponseOutputMessage),
  parallel_tool_calls: z.boolean(),
  previous_response_id: z.null(),
  store: z.literal(false),
  reasoning: z.object({ effort: z.nullable(Reasoning), summary: z.null() }),
  temperature: z.nullable(z.number()),
  text: z.object({ format: OpenAiFormat }),
  tool_choice: z.literal('auto'),
  tools: z.array(z.unknown()),
  top_p: z.nullable(z.number()),
  truncation: z.literal('disabled'),
  usage: z.nullable(ResponseUsage),
  user: z.nullable(z.string()),
  metadata: z.record(z.string(), z.unknown()),
})
export type OpenAiResponse = z.infer<typeof OpenAiResponse>
