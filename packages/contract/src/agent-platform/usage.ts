import * as z from 'zod/mini'

/** Tokens, as the providers counted them. */
export const Usage = z.object({
  input_tokens: z.int(),
  output_tokens: z.int(),
  cached_input_tokens: z.optional(z.int()),
})
export type Usage = z.infer<typeof Usage>
