/** A format whose text is read by a library. */
export type DocumentFormat = 'pdf' | 'docx' | 'pptx' | 'xlsx' | 'odt' | 'ods' | 'odp' | 'rtf' | 'eml' | 'html'

/** A format that needs no library: plain text or Markdown. */
export type PlainFormat = 'text' | 'markdown'

const formats: Readonly<Record<string, DocumentFormat>> = {
  pdf: 'pdf',
  docx: 'docx',
  pptx: 'pptx',
  xlsx: 'xlsx',
  odt: 'odt',
  ods: 'ods',
  odp: 'odp',
  rtf: 'rtf',
  eml: 'eml',
  html: 'html',
  htm: 'html',
  xhtml: 'html',
}

/**
 * Returns the format of a file name by its extension, or undefined for plain text and unknown extensions.
 *
 * @example
 * documentFormatOf('Invoice 7.PDF') // 'pdf'
 */
export function documentFormatOf(name: string): DocumentFormat | undefined {
  const ending = name.slice(name.lastIndexOf('.') + 1).toLowerCase()
  return Object.hasOwn(formats, ending) ? formats[ending] : undefined
}

/** A part of a document. A new part starts at each page and each heading. */
export interface DocumentPart {
  readonly text: string
  /** Page of a PDF, or slide of a presentation, counted from 1. */
  readonly page?: number
  /** The heading above this part, in HTML, Markdown, DOCX and ODT. */
  readonly heading?: string
}

/**
 * The reason for a document without text: it exceeds a limit, is damaged, needs a password, contains only pictures,
 * took too long, or needs a library that is not installed.
 */
export type UnreadDocument = 'too_large' | 'unreadable' | 'encrypted' | 'no_text' | 'timeout' | 'unsupported'

/** Text of a document, and facts about it. */
export type DocumentText =
  | {
      readonly outcome: 'text'
      readonly parts: readonly DocumentPart[]
      /** Whether the document has more text than `maxChars`. */
      readonly truncated: boolean
      /** Pages of a PDF, or slides of a presentation. */
      readonly pages?: number
    }
  | { readonly outcome: 'unread'; readonly reason: UnreadDocument }
