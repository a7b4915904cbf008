import * as z from 'zod/mini'
import { CustomId, orAbsent, shortText } from '../values.ts'

/**
 * A part of a message's content: text, or a file of the user in OpenAI's format (`image_url`, `file`, `input_audio`,
 * `input_image`, `input_file`). Other types are rejected, because their content would be lost.
 */
export const OpenAiContentPart = z.looseObject({
  type: z.string(),
  text: z.optional(z.string()),
})
export type OpenAiContentPart = z.infer<typeof OpenAiContentPart>

/** Fields of the file parts in {@link OpenAiContentPart}. */
export const openaiFileParts = {
  /** `image_url` of a chat completion. */
  picture: z.object({ url: z.string() }),
  /** `image_url` of a response. */
  pictureUrl: z.string(),
  /** `input_audio`. */
  sound: z.object({ data: z.string(), format: z.string().check(z.maxLength(50)) }),
  /** `file` of a chat completion; in a response request, the part itself. */
  document: z.object({ filename: orAbsent(z.string()), file_data: orAbsent(z.string()) }),
}

/** Text or a list of parts. */
export const OpenAiContent = z.union([z.string(), z.array(OpenAiContentPart).check(z.maxLength(1000))], {
  error: 'must be a string or a list of content parts',
})
export type OpenAiContent = z.infer<typeof OpenAiContent>

/** Format of the answer: a JSON Schema, any JSON object, or text. */
export const OpenAiFormat = z.looseObject({
  /** `text`, `json_object` or `json_schema`. */
  type: z.string(),
})
export type OpenAiFormat = z.infer<typeof OpenAiFormat>

const tokens = z.int().check(z.gte(1), z.lte(10_000_000))

/** Largest output in tokens. */
export const maxTokens = orAbsent(tokens)

/** Fields of both kinds of requests. Unknown fields are ignored. */
export const sharedRequestFields = {
  /** Id of an agent. */
  model: shortText(200),
  /** Whether the response is server-sent events. Default false. */
  stream: orAbsent(z.boolean()),
  /** The `user_id` of the run. The run reads this user's memories, and continues this user's conversation. */
  user: orAbsent(CustomId),
  /** `model_settings.temperature` of the run. */
  temperature: orAbsent(z.number()),
  /** `model_settings.top_p` of the run. */
  top_p: orAbsent(z.number()),
  /** Functions of the caller, at most 64, in addition to the tools of the agent. */
  tools: orAbsent(z.array(z.unknown())),
  /**
   * `auto` (default), `none`, `required`, one of `tools`, or `allowed_tools`. `required` and one of `tools` hold for the first model call
   * only.
   */
  tool_choice: orAbsent(z.union([z.string(), z.looseObject({})])),
}
