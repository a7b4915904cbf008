import * as z from 'zod/mini'
import { orAbsent, shortText } from '../values.ts'

const Text = z.string().check(z.minLength(1), z.maxLength(1_000_000))

/** Request of `POST /v1/embeddings`. Unlisted fields are ignored. */
export const EmbeddingRequest = z.object({
  /** Any name. The server's embedding model is used, and the response contains its name. */
  model: shortText(200),
  /** A string, or at most 2,048 strings. */
  input: z.union([Text, z.array(Text).check(z.minLength(1), z.maxLength(2048))], {
    error: 'must be a text or a list of texts, which may not be empty. Tokens are not supported',
  }),
  /** `float` (default) or `base64`: 32-bit floats in little-endian order. */
  encoding_format: orAbsent(z.enum(['float', 'base64'])),
  /** Rejected unless it equals the model's own dimension. */
  dimensions: orAbsent(z.int().check(z.gte(1))),
})
export type EmbeddingRequest = z.infer<typeof EmbeddingRequest>

/** Response of `POST /v1/embeddings`. */
export const EmbeddingList = z.object({
  object: z.literal('list'),
  data: z.array(
    z.object({
      object: z.literal('embedding'),
      /** Index of the text in the input. */
      index: z.number(),
      embedding: z.union([z.array(z.number()), z.string()]),
    }),
  ),
  /** The model that was used: `provider/model-id`. */
  model: z.string(),
  /** Zero if the model reports no tokens. */
  usage: z.object({ prompt_tokens: z.number(), total_tokens: z.number() }),
})
export type EmbeddingList = z.infer<typeof EmbeddingList>
