import * as z from 'zod/mini'
import { PlatformId } from './values.ts'

/** A web page that an answer is based on: an http or https address. */
export const Source = z.object({ url: z.string(), title: z.optional(z.string()) })
export type Source = z.infer<typeof Source>

/** A passage of a document that an answer may be based on. */
export const DocumentSource = z.object({
  document_id: PlatformId,
  name: z.string(),
  /** Page of a PDF, or slide of a presentation, counted from 1. */
  page: z.optional(z.int()),
  /** The beginning of the passage. */
  quote: z.string(),
})
export type DocumentSource = z.infer<typeof DocumentSource>

/** Source of an answer: a page, or a passage of a document. */
export const AnswerSource = z.union([DocumentSource, Source])
export type AnswerSource = z.infer<typeof AnswerSource>
