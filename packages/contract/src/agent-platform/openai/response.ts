import * as z from 'zod/mini'
import { JsonObject } from '../../json-value.ts'
import { Reasoning } from '../model-settings.ts'
import { orAbsent } from '../values.ts'
import { maxTokens, OpenAiContent, OpenAiFormat, sharedRequestFields } from './request-fields.ts'

/**
 * An input item: a message, a call of the client's tools, the output of such a call, or a reference to an item of an
 * earlier response. Earlier reasoning is ignored.
 */
export const ResponseInputItem = z.object({
  /** `message`, `function_call`, `function_call_output` or `item_reference`. Default `message`. */
  type: orAbsent(z.string()),
  /** Id of the referenced item, in a reference. */
  id: orAbsent(z.string().check(z.maxLength(300))),
  /** `system`, `developer`, `user` or `assistant`. */
  role: orAbsent(z.string()),
  content: orAbsent(OpenAiContent),
  /** Id of the call, in a call and its output. */
  call_id: orAbsent(z.string().check(z.maxLength(300))),
  /** Name of the tool, in a call. */
  name: orAbsent(z.string().check(z.maxLength(300))),
  /** Arguments as JSON, in a call. */
  arguments: orAbsent(z.string()),
  /** Result of the tool, in an output. */
  output: orAbsent(OpenAiContent),
})
export type ResponseInputItem = z.infer<typeof ResponseInputItem>

const Metadata = z.record(z.string().check(z.maxLength(64)), z.string().check(z.maxLength(512)))

/** Request of `POST /v1/responses`. Unlisted fields are ignored. */
export const ResponseRequest = z.object({
  ...sharedRequestFields,
  /**
   * The task as a string, or the whole history. The history must end with a user message or with the output of a call
   * from an earlier response.
   */
  input: z.union([z.string(), z.array(ResponseInputItem).check(z.minLength(1), z.maxLength(1000))], {
    error: 'must be a string or a list of items',
  }),
  /** Added to the agent's instructions. */
  instructions: orAbsent(z.string()),
  max_output_tokens: maxTokens,
  text: orAbsent(
    z.object({
      /** Becomes `output_schema` of the run: `{"type": "json_schema", "schema": …}`, or any JSON object. */
      format: orAbsent(OpenAiFormat),
    }),
  ),
  reasoning: orAbsent(
    z.object({
      /** Becomes `model_settings.reasoning` of the run. */
      effort: orAbsent(Reasoning),
    }),
  ),
  /** Id of a stored response of the same model and user. Its messages and answer precede `input`. */
  previous_response_id: orAbsent(z.string().check(z.maxLength(300))),
  /** Whether the response is stored, for 30 days. Default true. */
  store: orAbsent(z.boolean()),
  /** Copied to the response. At most 16 strings of 512 characters. */
  metadata: orAbsent(
    Metadata.check(z.refine((given) => Object.keys(given).length <= 16, 'must have at most 16 entries')),
  ),
  /** Copied to the response. The platform always leaves out messages that do not fit. */
  truncation: orAbsent(z.enum(['auto', 'disabled'])),
  /** Copied to the response. */
  safety_identifier: orAbsent(z.string().check(z.maxLength(300))),
  /** Copied to the response. */
  prompt_cache_key: orAbsent(z.string().check(z.maxLength(300))),
  /** Rejected. Use the header `X-Homeward-Conversation` instead. */
  conversation: orAbsent(z.union([z.string(), z.looseObject({})])),
  /** Only false is supported. */
  background: orAbsent(z.boolean()),
})
export type ResponseRequest = z.infer<typeof ResponseRequest>

/** Tokens of a response, summed over all model calls of the run. */
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

/** A call of the client's tools. Add its output to the next request. */
export const ResponseFunctionCall = z.object({
  id: z.string(),
  type: z.literal('function_call'),
  status: ItemStatus,
  /** Id that the output of the call must contain. */
  call_id: z.string(),
  name: z.string(),
  /** Arguments as JSON. */
  arguments: z.string(),
})
export type ResponseFunctionCall = z.infer<typeof ResponseFunctionCall>

/** A client tool as a response shows it. */
export const ResponseTool = z.object({
  type: z.literal('function'),
  name: z.string(),
  description: z.nullable(z.string()),
  parameters: z.nullable(JsonObject),
  strict: z.nullable(z.boolean()),
})
export type ResponseTool = z.infer<typeof ResponseTool>

/** Response of `POST /v1/responses` without `stream`. */
export const OpenAiResponse = z.object({
  /** `resp_` followed by the run's id, and a number if the response continues a run after its tool calls. */
  id: z.string(),
  object: z.literal('response'),
  /** Seconds since the epoch. */
  created_at: z.number(),
  completed_at: z.nullable(z.number()),
  status: z.enum(['in_progress', 'completed', 'incomplete', 'failed']),
  error: z.nullable(z.object({ code: z.string(), message: z.string() })),
  incomplete_details: z.nullable(z.object({ reason: z.literal('max_output_tokens') })),
  instructions: z.nullable(z.string()),
  max_output_tokens: z.nullable(z.number()),
  max_tool_calls: z.null(),
  model: z.string(),
  output: z.array(z.union([ResponseOutputMessage, ResponseFunctionCall])),
  parallel_tool_calls: z.boolean(),
  previous_response_id: z.nullable(z.string()),
  /** Conversation from the request's `X-Homeward-Conversation` header. */
  conversation: z.optional(z.object({ id: z.string() })),
  store: z.boolean(),
  background: z.literal(false),
  reasoning: z.object({ effort: z.nullable(Reasoning), summary: z.null() }),
  temperature: z.number(),
  text: z.object({ format: OpenAiFormat }),
  tool_choice: z.union([z.string(), z.looseObject({})]),
  tools: z.array(ResponseTool),
  top_p: z.number(),
  presence_penalty: z.literal(0),
  frequency_penalty: z.literal(0),
  top_logprobs: z.literal(0),
  truncation: z.enum(['auto', 'disabled']),
  service_tier: z.literal('default'),
  usage: z.nullable(ResponseUsage),
  user: z.nullable(z.string()),
  safety_identifier: z.nullable(z.string()),
  prompt_cache_key: z.nullable(z.string()),
  metadata: z.record(z.string(), z.string()),
})
export type OpenAiResponse = z.infer<typeof OpenAiResponse>
