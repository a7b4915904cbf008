import {
  documentFormatOf,
  type DocumentFormat,
  type PlainFormat,
  type UnreadDocument,
} from '@homeward/kit/documents'

/** Formats by their media type. */
const formats: Readonly<Record<string, DocumentFormat | PlainFormat>> = {
  'text/markdown': 'markdown',
  'text/html': 'html',
  'application/xhtml+xml': 'html',
  'application/json': 'text',
  'application/pdf': 'pdf',
  'message/rfc822': 'eml',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation': 'pptx',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
  'application/vnd.oasis.opendocument.text': 'odt',
  'application/vnd.oasis.opendocument.spreadsheet': 'ods',
  'application/vnd.oasis.opendocument.presentation': 'odp',
  'application/rtf': 'rtf',
  'text/rtf': 'rtf',
}

/** Media types of texts by the ending of a name. */
const textTypes: Readonly<Record<string, string>> = {
  txt: 'text/plain',
  text: 'text/plain',
  log: 'text/plain',
  md: 'text/markdown',
  markdown: 'text/markdown',
  csv: 'text/csv',
  tsv: 'text/tab-separated-values',
  json: 'application/json',
  jsonl: 'application/json',
}

const anyBytes = 'application/octet-stream'

/** The media type of a document: as somebody gave it, or as the ending of its name says. */
export function mediaTypeOf(name: string, given: string | undefined): string {
  const type = given?.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  if (type !== '' && type !== anyBytes) return type
  const ending = name.slice(name.lastIndexOf('.') + 1).toLowerCase()
  const format = documentFormatOf(name)
  const known = Object.entries(formats).find(([, each]) => each === format)?.[0]
  return known ?? (Object.hasOwn(textTypes, ending) ? textTypes[ending] : undefined) ?? anyBytes
}

/**
 * How a document is read; undefined if it is of another kind. The ending of the name counts if it is one of a format: browsers give
 * other types to CSV and mail. Everything that calls itself text is read as text.
 */
export function formatOf(name: string, mediaType: string): DocumentFormat | PlainFormat | undefined {
  const format = documentFormatOf(name)
  if (format) return format
  const named = mediaTypeOf(name, undefined)
  const type = named === anyBytes ? mediaType : named
  const known = Object.hasOwn(formats, type) ? formats[type] : undefined
  return known ?? (type.startsWith('text/') || /[/+](?:json|xml|yaml)$/.test(type) ? 'text' : undefined)
}

const upload = 'upload it again'
const readable = 'text, Markdown, HTML, CSV, JSON, PDF, DOCX, PPTX, XLSX, ODT or EML'

/** Why a document has failed that is of no known kind. */
export const unknownKind = (mediaType: string) =>
  `Reading the document failed: documents of the type "${mediaType}" cannot be read. Use ${readable}.`

const packageOf = (format: DocumentFormat | PlainFormat) =>
  format === 'pdf' ? 'unpdf' : format === 'eml' ? 'postal-mime' : 'officeparser'

/** Why a document has failed. */
export function whyUnread(reason: UnreadDocument, format: DocumentFormat | PlainFormat): string {
  return `Reading the document failed: ${facts[reason](packageOf(format))}`
}

const facts: Readonly<Record<UnreadDocument, (library: string) => string>> = {
  no_text: () =>
    `the document has no text. If it is a scan, run text recognition (OCR) on it, then ${upload}.`,
  encrypted: () => `the document is protected by a password. Remove the password, then ${upload}.`,
  unreadable: () =>
    `the document is damaged, or not of the type that its name says. Save it again, then ${upload}.`,
  too_large: () => 'the document needs more memory than allowed. Split it into several documents.',
  timeout: () => 'the document takes too long to read. Split it into several documents.',
  unsupported: (library) =>
    `the package "${library}" is not installed on the server. Run "npm install ${library}" there, then ${upload}.`,
}
