import * as z from 'zod/mini'

/** A page that an answer rests on: an http or https address. */
export const Source = z.object({ url: z.string(), title: z.optional(z.string()) })
export type Source = z.infer<typeof Source>
