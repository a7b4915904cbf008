// The program of the child process in which documents are read. It answers each message with one.
import type { OfficeContentNode } from 'officeparser'
import type { DocumentFormat, DocumentPart, DocumentText, UnreadDocument } from './document-format.ts'

/** What the program is asked. */
export interface DocumentRequest {
  readonly format: DocumentFormat
  readonly bytes: Uint8Array
  /** Characters of text that are given at most. */
  readonly maxChars: number
  /** Bytes that an archive may hold once it is inflated. */
  readonly maxInflatedBytes: number
}

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

async function readPdf({ bytes, maxChars }: DocumentRequest): Promise<DocumentText> {
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

async function readOffice(request: DocumentRequest, format: Exclude<DocumentFormat, 'pdf' | 'eml'>) {
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
      heading = textOf(node).trim() || undefined
    }
    lines.push(textOf(node))
  }
  end()
  return parts.done(slides > 0 ? slides : undefined)
}

async function readMail(request: DocumentRequest): Promise<DocumentText> {
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

async function read(request: DocumentRequest): Promise<DocumentText> {
  try {
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

process.on('message', (request: DocumentRequest) => {
  void read(request).then((answer) => process.send?.(answer))
})
process.on('disconnect', () => process.exit(0))
process.send?.('ready')
