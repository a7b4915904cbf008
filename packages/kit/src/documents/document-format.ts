/** A format whose text is read by a library. */
export type DocumentFormat = 'pdf' | 'docx' | 'pptx' | 'xlsx' | 'odt' | 'ods' | 'odp' | 'rtf' | 'eml' | 'html'

/** A format that needs no library: text as it is, or with the headings of Markdown. */
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
 * The format that the ending of a file name stands for; undefined for what is text as it is, and for everything else.
 *
 * @example
 * documentFormatOf('Invoice 7.PDF') // 'pdf'
 */
export function documentFormatOf(name: string): DocumentFormat | undefined {
  const ending = name.slice(name.lastIndexOf('.') + 1).toLowerCase()
  return Object.hasOwn(formats, ending) ? formats[ending] : undefined
}

/** A piece of a document. Pieces follow each other; a new one begins with each page and each heading. */
export interface DocumentPart {
  readonly text: string
  /** Page of a PDF, or slide of a presentation, counted from 1. */
  readonly page?: number
  /** The heading that the piece stands below: of HTML, Markdown, DOCX and ODT. */
  readonly heading?: string
}

/**
 * Why a document gave no text: it is larger than the limits, damaged, needs a password, has pictures only, took too long, or
 * the library for its format is not installed.
 */
export type UnreadDocument = 'too_large' | 'unreadable' | 'encrypted' | 'no_text' | 'timeout' | 'unsupported'

/** What reading a document gave. */
export type DocumentText =
  | {
      readonly outcome: 'text'
      readonly parts: readonly DocumentPart[]
      /** Whether there is more text than was read. */
      readonly truncated: boolean
      /** Pages of a PDF, or slides of a presentation. */
      readonly pages?: number
    }
  | { readonly outcome: 'unread'; readonly reason: UnreadDocument }
