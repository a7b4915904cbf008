// The program of the child process in which documents are read. It answers each message with one.
import type { OfficeContentNode } from 'officeparser'
import type {
  DocumentFormat,
  DocumentPart,
  DocumentText,
  PlainFormat,
  UnreadDocument,
} from './document-format.ts'

/** What the program is asked, behind the bytes of the document. */
export interface DocumentRequest {
  readonly format: DocumentFormat | PlainFormat
  /** Characters of text that are given at most. */
  readonly maxChars: number
  /** Bytes that an archive may hold once it is inflated. */
  readonly maxInflatedBytes: number
}

/** A part of the bytes of a document. A large message costs both processes far more than its pieces do. */
export interface DocumentBytes {
  readonly piece: Uint8Array
}

/** A piece of a part of the text. `place` is there if it begins a part. */
export interface TextPiece {
  readonly text: string
  readonly place?: Omit<DocumentPart, 'text'>
}

/** The end of an answer: what it is besides its text. */
export type DocumentEnd =
  | Extract<DocumentText, { outcome: 'unread' }>
  | Omit<Extract<DocumentText, { outcome: 'text' }>, 'parts'>

type BytesAndRequest = DocumentRequest & { readonly bytes: Uint8Array }

const unread = (reason: UnreadDocument): DocumentText => ({ outcome: 'unread', reason })

/** Collects parts up to the limit. */
function createParts(maxChars: number) {
  const parts: DocumentPart[] = []
  let left = maxChars
  return {
    isFull: () => left <= 0,
    add(text: string, place: Omit<DocumentPart, 'text'> = {}): void {
      if (left <= 0 || text.trim() === '') return
      parts.push({ text: text.slice(0, left).toWellFormed(), ...place })
      left -= text.length
    },
    done(pages?: number): DocumentText {
      if (parts.length === 0) return unread('no_text')
      return { outcome: 'text', parts, truncated: left < 0, ...(pages !== undefined && { pages }) }
    },
  }
}

/** UTF-8, or UTF-16 with a byte order mark; undefined for other bytes. */
function decodeText(bytes: Uint8Array): string | undefined {
  const [first, second] = bytes
  const isLittle = first === 0xff && second === 0xfe
  const isBig = first === 0xfe && second === 0xff
  if (isLittle || isBig) return new TextDecoder(isBig ? 'utf-16be' : 'utf-16le').decode(bytes)
  return bytes.includes(0) ? undefined : new TextDecoder().decode(bytes)
}

/** The title of a line that is a heading of Markdown. Its time grows with the line only: one expression for all of it would backtrack. */
function titleOf(line: string): string | undefined {
  const title = /^ {0,3}#{1,6}[ \t]+(.*)$/.exec(line)?.[1]?.trimEnd()
  if (title === undefined) return undefined
  let end = title.length
  while (title[end - 1] === '#') end -= 1
  return end === 0 || /[ \t]/.test(title[end - 1] ?? '') ? title.slice(0, end).trimEnd() : title
}

function readText({ bytes, maxChars, format }: BytesAndRequest): DocumentText {
  const text = decodeText(bytes)
  if (text === undefined) return unread('unreadable')
  const parts = createParts(maxChars)
  if (format === 'text') {
    parts.add(text)
    return parts.done()
  }
  let heading: string | undefined
  let fence: string | undefined
  let lines: string[] = []
  const end = () => {
    parts.add(lines.join('\n'), heading === undefined ? {} : { heading })
    lines = []
  }
  for (const line of text.split(/\r?\n/)) {
    const mark = /^ {0,3}(```|~~~)/.exec(line)?.[1]
    if (mark !== undefined && (fence === undefined || fence === mark))
      fence = fence === undefined ? mark : undefined
    const title = fence === undefined ? titleOf(line) : undefined
    if (title !== undefined) {
      end()
      heading = title.replaceAll(/[*_`]/g, '').slice(0, maxHeadingChars).toWellFormed().trim() || undefined
    }
    lines.push(line)
  }
  end()
  return parts.done()
}

const maxHeadingChars = 300

async function readPdf({ bytes, maxChars }: BytesAndRequest): Promise<DocumentText> {
  const { getDocumentProxy } = await import('unpdf')
  const plain = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length) // the library rejects a Buffer
  const pdf = await getDocumentProxy(plain, { stopAtErrors: false, verbosity: 0 })
  const parts = createParts(maxChars)
  for (let page = 1; page <= pdf.numPages && !parts.isFull(); page += 1) {
    const loaded = await pdf.getPage(page)
    const { items } = await loaded.getTextContent()
    const pieces = items.map((item) => ('str' in item ? item.str + (item.hasEOL ? '\n' : '') : ''))
    parts.add(pieces.join(''), { page })
    loaded.cleanup()
  }
  return parts.done(pdf.numPages)
}

const inline: ReadonlySet<string> = new Set(['paragraph', 'heading', 'text', 'code', 'definitionTerm'])

/** The text of a node: each block on a line of its own, cells of a row with tabs between them. */
function textOf(node: OfficeContentNode): string {
  if (node.type === 'break') return '\n'
  if (!node.children || node.children.length === 0) return node.text ?? ''
  const between = inline.has(node.type) ? '' : node.type === 'row' ? '\t' : '\n'
  return node.children.map(textOf).join(between)
}

async function readOffice(request: BytesAndRequest, format: Exclude<DocumentFormat, 'pdf' | 'eml'>) {
  const { bytes, maxChars, maxInflatedBytes } = request
  // Office encrypts a document as a whole and puts it into a container of another kind.
  if (bytes[0] === 0xd0 && bytes[1] === 0xcf && format !== 'html') return unread('encrypted')
  const { OfficeParser } = await import('officeparser')
  const { content } = await OfficeParser.parseOffice(
    Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length),
    {
      fileType: format,
      extractAttachments: false,
      ocr: false,
      decompressionLimits: {
        maxUncompressedBytes: maxInflatedBytes,
        maxZipEntries: 10_000,
        maxTableCells: 200_000,
      },
    },
  )
  const parts = createParts(maxChars)
  let slides = 0
  let heading: string | undefined
  let lines: string[] = []
  const end = () => {
    parts.add(lines.join('\n'), heading === undefined ? {} : { heading })
    lines = []
  }
  for (const node of content) {
    if (node.type === 'slide') {
      end()
      slides += 1
      parts.add(textOf(node), { page: slides })
      continue
    }
    if (node.type === 'heading') {
      end()
      heading = textOf(node).trim().slice(0, maxHeadingChars).toWellFormed() || undefined
    }
    lines.push(textOf(node))
  }
  end()
  return parts.done(slides > 0 ? slides : undefined)
}

async function readMail(request: BytesAndRequest): Promise<DocumentText> {
  const { default: PostalMime } = await import('postal-mime')
  const mail = await PostalMime.parse(request.bytes)
  const parts = createParts(request.maxChars)
  const people = [mail.from, ...(mail.to ?? []), ...(mail.cc ?? [])].flatMap((each) =>
    each ? [`${each.name} ${each.address ?? ''}`.trim()] : [],
  )
  parts.add([mail.subject ?? '', people.join(', '), mail.text ?? ''].join('\n'))
  if (!mail.text && mail.html) {
    const body = await readOffice({ ...request, bytes: new TextEncoder().encode(mail.html) }, 'html')
    if (body.outcome === 'text') for (const { text } of body.parts) parts.add(text)
  }
  parts.add((mail.attachments ?? []).map(({ filename }) => filename ?? '').join('\n'))
  return parts.done()
}

async function read(request: BytesAndRequest): Promise<DocumentText> {
  try {
    if (request.format === 'text' || request.format === 'markdown') return readText(request)
    if (request.format === 'pdf') return await readPdf(request)
    if (request.format === 'eml') return await readMail(request)
    return await readOffice(request, request.format)
  } catch (error) {
    return unread(reasonOf(error))
  }
}

function reasonOf(error: unknown): UnreadDocument {
  if (!(error instanceof Error)) return 'unreadable'
  if ('code' in error && (error.code === 'ERR_MODULE_NOT_FOUND' || error.code === 'MODULE_NOT_FOUND'))
    return 'unsupported'
  if (error.name === 'PasswordException' || /encrypt|password/i.test(error.message)) return 'encrypted'
  return /limit|too large|exceed/i.test(error.message) ? 'too_large' : 'unreadable'
}

/** Characters of a message. */
const pieceChars = 131_072

const send = (message: TextPiece | DocumentEnd | 'ready') =>
  new Promise<void>((resolve) => void process.send?.(message, undefined, undefined, () => resolve()))

async function answer(request: BytesAndRequest): Promise<void> {
  const found = await read(request)
  if (found.outcome === 'unread') return send(found)
  const { parts, ...end } = found
  for (const { text, ...place } of parts) {
    for (let start = 0; start < text.length; start += pieceChars)
      await send({ text: text.slice(start, start + pieceChars), ...(start === 0 && { place }) })
  }
  return send(end)
}

let pieces: Uint8Array[] = []
process.on('message', (message: DocumentBytes | DocumentRequest) => {
  if ('piece' in message) {
    pieces.push(message.piece)
    return
  }
  const bytes = pieces.length === 1 ? pieces[0]! : new Uint8Array(Buffer.concat(pieces))
  pieces = []
  void answer({ ...message, bytes })
})
process.on('disconnect', () => process.exit(0))
void send('ready')
