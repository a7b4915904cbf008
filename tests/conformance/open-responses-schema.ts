import * as z from 'zod'

// What https://www.openresponses.org/reference says of responses and of the events of a stream, version 2026-04-24, as
// far as an agent sends it. Fields that are not required are checked where they are there.

const status = z.enum(['in_progress', 'completed', 'incomplete'])
const whole = z.int()
const outputText = z.object({
  type: z.literal('output_text'),
  text: z.string(),
  annotations: z.array(z.unknown()),
  logprobs: z.array(z.unknown()).optional(),
})

const message = z.object({
  type: z.literal('message'),
  id: z.string().min(1),
  status,
  role: z.enum(['user', 'assistant', 'system', 'developer']),
  content: z.array(outputText),
})
const functionCall = z.object({
  type: z.literal('function_call'),
  id: z.string().min(1),
  call_id: z.string().min(1).max(64),
  name: z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/),
  arguments: z.string(),
  status,
})
const item = z.discriminatedUnion('type', [message, functionCall])

const functionChoice = z.object({ type: z.literal('function'), name: z.string().optional() })
const choiceValue = z.enum(['none', 'auto', 'required'])

/** The object of a response. */
export const responseResource = z.object({
  id: z.string().min(1),
  object: z.literal('response'),
  created_at: whole,
  completed_at: whole.nullable(),
  status: z.enum(['queued', 'in_progress', 'completed', 'incomplete', 'failed']),
  incomplete_details: z.object({ reason: z.string() }).nullable(),
  model: z.string(),
  previous_response_id: z.string().nullable(),
  instructions: z.string().nullable(),
  output: z.array(item),
  error: z.object({ code: z.string(), message: z.string() }).nullable(),
  tools: z.array(
    z.object({
      type: z.literal('function'),
      name: z.string(),
      description: z.string().nullable(),
      parameters: z.record(z.string(), z.unknown()).nullable(),
      strict: z.boolean().nullable(),
    }),
  ),
  tool_choice: z.union([
    choiceValue,
    functionChoice,
    z.object({ type: z.literal('allowed_tools'), tools: z.array(functionChoice), mode: choiceValue }),
  ]),
  truncation: z.enum(['auto', 'disabled']),
  parallel_tool_calls: z.boolean(),
  text: z.object({ format: z.looseObject({ type: z.enum(['text', 'json_object', 'json_schema']) }) }),
  top_p: z.number(),
  presence_penalty: z.number(),
  frequency_penalty: z.number(),
  top_logprobs: whole,
  temperature: z.number(),
  reasoning: z.object({ effort: z.string().nullable(), summary: z.string().nullable() }).nullable(),
  usage: z
    .object({
      input_tokens: whole,
      output_tokens: whole,
      total_tokens: whole,
      input_tokens_details: z.object({ cached_tokens: whole }),
      output_tokens_details: z.object({ reasoning_tokens: whole }),
    })
    .nullable(),
  max_output_tokens: whole.nullable(),
  max_tool_calls: whole.nullable(),
  store: z.boolean(),
  background: z.boolean(),
  service_tier: z.string(),
  metadata: z.record(z.string(), z.string()),
  safety_identifier: z.string().nullable(),
  prompt_cache_key: z.string().nullable(),
})

const eventOf = <Type extends string, Shape extends z.ZodRawShape>(type: Type, shape: Shape) =>
  z.object({ type: z.literal(type), sequence_number: whole, ...shape })
const ofResponse = { response: responseResource }
const ofItem = { output_index: whole, item }
const ofPart = { item_id: z.string(), output_index: whole, content_index: whole }
const ofCall = { item_id: z.string(), output_index: whole }

/** An event of a stream. */
export const streamingEvent = z.discriminatedUnion('type', [
  eventOf('response.created', ofResponse),
  eventOf('response.in_progress', ofResponse),
  eventOf('response.completed', ofResponse),
  eventOf('response.failed', ofResponse),
  eventOf('response.incomplete', ofResponse),
  eventOf('response.output_item.added', ofItem),
  eventOf('response.output_item.done', ofItem),
  eventOf('response.content_part.added', { ...ofPart, part: outputText }),
  eventOf('response.content_part.done', { ...ofPart, part: outputText }),
  eventOf('response.output_text.delta', { ...ofPart, delta: z.string() }),
  eventOf('response.output_text.done', { ...ofPart, text: z.string() }),
  eventOf('response.function_call_arguments.delta', { ...ofCall, delta: z.string() }),
  eventOf('response.function_call_arguments.done', { ...ofCall, arguments: z.string() }),
])
export type StreamingEvent = z.infer<typeof streamingEvent>

/** Body of an error. */
export const errorBody = z.object({
  error: z.object({
    type: z.string(),
    code: z.string().nullable(),
    message: z.string(),
    param: z.string().nullable(),
  }),
})
