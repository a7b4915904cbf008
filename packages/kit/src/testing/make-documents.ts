import { crc32, deflateRawSync } from 'node:zlib'

/** Text as the content of a PDF's page shows it. */
const shown = (text: string) => `(${text.replaceAll(/[\\()]/g, '\\$&')})`

/** A PDF with these pages, each with one line of ASCII. */
export function makePdf(pages: readonly string[]): Buffer {
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Count ${pages.length} /Kids [${pages.map((_, index) => `${4 + index * 2} 0 R`).join(' ')}] >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    ...pages.flatMap((text, index) => {
      const content = text === '' ? '' : `BT /F1 12 Tf 72 700 Td ${shown(text)} Tj ET`
      return [
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> /Contents ${5 + index * 2} 0 R >>`,
        `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
      ]
    }),
  ]
  let text = '%PDF-1.4\n'
  const places = objects.map((object, index) => {
    const at = text.length
    text += `${index + 1} 0 obj\n${object}\nendobj\n`
    return at
  })
  const table = places.map((at) => `${String(at).padStart(10, '0')} 00000 n \n`).join('')
  const size = objects.length + 1
  return Buffer.from(
    `${text}xref\n0 ${size}\n0000000000 65535 f \n${table}trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${text.length}\n%%EOF\n`,
    'latin1',
  )
}

/** A zip archive with these files. */
export function makeZip(files: Readonly<Record<string, string | Buffer>>): Buffer {
  const bodies: Buffer[] = []
  const heads: Buffer[] = []
  let at = 0
  for (const [path, content] of Object.entries(files)) {
    const bytes = Buffer.from(content)
    const name = Buffer.from(path)
    const packed = deflateRawSync(bytes)
    const facts = Buffer.alloc(26)
    facts.writeUInt16LE(20, 0)
    facts.writeUInt16LE(0x0800, 2)
    facts.writeUInt16LE(8, 4)
    facts.writeUInt32LE(crc32(bytes), 10)
    facts.writeUInt32LE(packed.length, 14)
    facts.writeUInt32LE(bytes.length, 18)
    facts.writeUInt16LE(name.length, 22)
    const tail = Buffer.alloc(14)
    tail.writeUInt32LE(at, 10)
    heads.push(Buffer.from('504b01021400', 'hex'), facts, tail, name)
    const body = [Buffer.from('504b0304', 'hex'), facts, name, packed]
    bodies.push(...body)
    at += body.reduce((sum, { length }) => sum + length, 0)
  }
  const directory = Buffer.concat(heads)
  const end = Buffer.alloc(22)
  end.write('504b0506', 'hex')
  const count = Object.keys(files).length
  end.writeUInt16LE(count, 8)
  end.writeUInt16LE(count, 10)
  end.writeUInt32LE(directory.length, 12)
  end.writeUInt32LE(at, 16)
  return Buffer.concat([...bodies, directory, end])
}

const types =
  '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/>' +
  '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/></Types>'
const relations = (...targets: readonly (readonly [type: string, target: string])[]) =>
  `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${targets
    .map(
      ([type, target], index) =>
        `<Relationship Id="rId${index + 1}" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/${type}" Target="${target}"/>`,
    )
    .join('')}</Relationships>`
const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

/** A DOCX with these paragraphs. One that begins with `# ` is a heading; words are cut into runs, as Word does. */
export function makeDocx(paragraphs: readonly string[]): Buffer {
  const body = paragraphs.map((text) => {
    const style = text.startsWith('# ') ? '<w:pPr><w:pStyle w:val="Heading1"/></w:pPr>' : ''
    const plain = text.replace(/^# /, '')
    const middle = Math.ceil(plain.length / 2)
    const runs = [plain.slice(0, middle), plain.slice(middle)].map(
      (run) => `<w:r><w:t xml:space="preserve">${escaped(run)}</w:t></w:r>`,
    )
    return `<w:p>${style}${runs.join('')}</w:p>`
  })
  return makeZip({
    '[Content_Types].xml': types,
    '_rels/.rels': relations(['officeDocument', 'word/document.xml']),
    'word/document.xml': `<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>${body.join('')}</w:body></w:document>`,
  })
}

const drawing =
  'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" ' +
  'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'

/** A PPTX with these slides. */
export function makePptx(slides: readonly string[]): Buffer {
  const ids = slides.map((_, index) => `<p:sldId id="${256 + index}" r:id="rId${index + 1}"/>`)
  return makeZip({
    '[Content_Types].xml': types,
    '_rels/.rels': relations(['officeDocument', 'ppt/presentation.xml']),
    'ppt/presentation.xml': `<p:presentation ${drawing}><p:sldIdLst>${ids.join('')}</p:sldIdLst></p:presentation>`,
    'ppt/_rels/presentation.xml.rels': relations(
      ...slides.map((_, index) => ['slide', `slides/slide${index + 1}.xml`] as const),
    ),
    ...Object.fromEntries(
      slides.map((text, index) => [
        `ppt/slides/slide${index + 1}.xml`,
        `<p:sld ${drawing}><p:cSld><p:spTree><p:sp><p:txBody><a:p><a:r><a:t>${escaped(text)}</a:t></a:r></a:p></p:txBody></p:sp></p:spTree></p:cSld></p:sld>`,
      ]),
    ),
  })
}

/** An XLSX with one sheet of these rows. */
export function makeXlsx(rows: readonly (readonly string[])[]): Buffer {
  const sheet = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
  const cells = rows.map(
    (row, index) =>
      `<row r="${index + 1}">${row
        .map(
          (text, column) =>
            `<c r="${String.fromCharCode(65 + column)}${index + 1}" t="inlineStr"><is><t>${escaped(text)}</t></is></c>`,
        )
        .join('')}</row>`,
  )
  return makeZip({
    '[Content_Types].xml': types,
    '_rels/.rels': relations(['officeDocument', 'xl/workbook.xml']),
    'xl/workbook.xml': `<workbook xmlns="${sheet}" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="One" sheetId="1" r:id="rId1"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': relations(['worksheet', 'worksheets/sheet1.xml']),
    'xl/worksheets/sheet1.xml': `<worksheet xmlns="${sheet}"><sheetData>${cells.join('')}</sheetData></worksheet>`,
  })
}

/** An ODT with these paragraphs. */
export function makeOdt(paragraphs: readonly string[]): Buffer {
  const spaces =
    'xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"'
  const body = paragraphs.map((text) => `<text:p>${escaped(text)}</text:p>`).join('')
  return makeZip({
    mimetype: 'application/vnd.oasis.opendocument.text',
    'content.xml': `<office:document-content ${spaces}><office:body><office:text>${body}</office:text></office:body></office:document-content>`,
  })
}
