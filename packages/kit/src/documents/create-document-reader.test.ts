import { randomBytes } from 'node:crypto'
import { afterAll, expect, it } from 'vitest'
import { makeDocx, makeOdt, makePdf, makePptx, makeXlsx, makeZip } from '../testing/make-documents.ts'
import { createDocumentReader } from './create-document-reader.ts'
import { documentFormatOf, type DocumentText } from './document-format.ts'

const reader = createDocumentReader()
afterAll(() => reader.close())
const read = async (name: string, bytes: Uint8Array | string) => {
  const answer = await reader.read(documentFormatOf(name)!, Buffer.from(bytes))
  return answer.outcome === 'text' ? answer.parts : answer.reason
}

it('reads the words of every format, with pages, slides and headings', async () => {
  expect(await read('a.pdf', makePdf(['first page', 'the invoice (7)']))).toEqual([
    { text: 'first page', page: 1 },
    { text: 'the invoice (7)', page: 2 },
  ])
  expect(await read('a.docx', makeDocx(['before', '# Costs', 'the invoice & more']))).toEqual([
    { text: 'before' },
    { text: 'Costs\nthe invoice & more', heading: 'Costs' },
  ])
  expect(await read('a.pptx', makePptx(['one', 'the invoice']))).toEqual([
    { text: 'one', page: 1 },
    { text: 'the invoice', page: 2 },
  ])
  expect(
    await read(
      'a.xlsx',
      makeXlsx([
        ['invoice', '42'],
        ['x', 'y'],
      ]),
    ),
  ).toEqual([{ text: 'invoice\t42\nx\ty' }])
  expect(await read('a.odt', makeOdt(['one', 'the invoice']))).toEqual([{ text: 'one\nthe invoice' }])
  expect(
    await read(
      'a.HTM',
      '<title>t</title><style>.x{}</style><h1>Costs</h1><p>in<b>voice</b> &amp; more</p><script>bad()</script>',
    ),
  ).toEqual([{ text: 'Costs\ninvoice & more', heading: 'Costs' }])
  const mail = [
    'From: Ann <ann@example.com>',
    'To: bob@example.com',
    'Subject: =?utf-8?Q?Gr=C3=BC=C3=9Fe?=',
    'Content-Type: text/html; charset=utf-8',
    '',
    '<p>the in<i>voice</i></p>',
  ].join('\r\n')
  const found = await read('a.eml', mail)
  expect(JSON.stringify(found)).toContain('Grüße\\nAnn ann@example.com, bob@example.com')
  expect(JSON.stringify(found)).toContain('the invoice')
})

it('reads text and Markdown without a library', async () => {
  const markdown = 'first\n# Costs *today* #\nlist\n```\n# no heading\n```\n## Other\nend'
  expect(await reader.read('markdown', Buffer.from(markdown))).toMatchObject({
    parts: [
      { text: 'first' },
      { text: '# Costs *today* #\nlist\n```\n# no heading\n```', heading: 'Costs today' },
      { text: '## Other\nend', heading: 'Other' },
    ],
  })
  const wide = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('Gr\u00fc\u00dfe', 'utf16le')])
  expect(await reader.read('text', wide)).toMatchObject({ parts: [{ text: 'Gr\u00fc\u00dfe' }] })
  expect(await reader.read('text', Buffer.from([1, 0, 2]))).toMatchObject({ reason: 'unreadable' })
  expect(await reader.read('text', Buffer.from(' \n'))).toMatchObject({ reason: 'no_text' })
})

it('reads headings of Markdown in the time that their length takes', async () => {
  const blanks = ' '.repeat(200_000)
  const markdown = `# a${blanks}b\n# c ${'#'.repeat(200_000)}x\n# d ##${blanks}\n# #\n# e#`
  const { parts = [] } = (await reader.read('markdown', Buffer.from(markdown))) as Partial<
    Extract<DocumentText, { outcome: 'text' }>
  >
  expect(parts.map(({ heading }) => heading?.slice(0, 3))).toEqual(['a', 'c #', 'd', undefined, 'e#'])
})

it('says why a document gave no text', async () => {
  expect(await read('scan.pdf', makePdf(['', '']))).toBe('no_text')
  expect(await read('a.pdf', 'no PDF at all')).toBe('unreadable')
  expect(await read('a.docx', randomBytes(1000))).toBe('unreadable')
  expect(
    await read('a.docx', Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), randomBytes(1000)])),
  ).toBe('encrypted')
  expect(await read('a.docx', makeDocx(['x']).subarray(0, 300))).toBe('unreadable')
  expect(await read('a.docx', '')).toBe('no_text')
  const locked = makePdf(['secret'])
    .toString('latin1')
    .replace(
      '/Root 1 0 R',
      `/Root 1 0 R /ID [<00> <00>] /Encrypt << /Filter /Standard /V 1 /R 2 /O <${'41'.repeat(32)}> /U <${'42'.repeat(32)}> /P -1 >>`,
    )
  expect(await read('a.pdf', Buffer.from(locked, 'latin1'))).toBe('encrypted')
})

it('ends what is too large or takes too long, and reads the next document', async () => {
  const small = createDocumentReader({ maxFileBytes: 2_000_000 })
  expect(await small.read('pdf', new Uint8Array(2_000_001))).toEqual({
    outcome: 'unread',
    reason: 'too_large',
  })
  const bomb = makeZip({ 'content.xml': Buffer.alloc(40_000_000, '<a>') })
  expect(bomb.length).toBeLessThan(2_000_000)
  expect(await small.read('odt', bomb)).toEqual({ outcome: 'unread', reason: 'too_large' })
  expect(await small.read('odt', makeOdt(['after']))).toMatchObject({ parts: [{ text: 'after' }] })
  small.close()

  const quick = createDocumentReader({ maxMs: 20 })
  const endless = makePdf(Array.from({ length: 3000 }, (_, index) => `page ${index} ${'word '.repeat(40)}`))
  expect(await quick.read('pdf', endless)).toEqual({ outcome: 'unread', reason: 'timeout' })
  quick.close()

  const lean = createDocumentReader({ maxMemoryBytes: 160_000_000 })
  const deep = makeXlsx(Array.from({ length: 60_000 }, (_, index) => [`cell ${index}`, 'x'.repeat(20)]))
  expect(await lean.read('xlsx', deep)).toEqual({ outcome: 'unread', reason: 'too_large' })
  lean.close()
})

it('cuts a long text and says so, and stops when it is aborted', async () => {
  const short = createDocumentReader({ maxChars: 10 })
  expect(await short.read('odt', makeOdt(['0123456789', 'more']))).toEqual({
    outcome: 'text',
    parts: [{ text: '0123456789' }],
    truncated: true,
  })
  short.close()
  const stop = new AbortController()
  const reading = reader.read('pdf', makePdf(Array.from({ length: 20_000 }, () => 'page')), stop.signal)
  stop.abort(new Error('enough'))
  await expect(reading).rejects.toThrow('enough')
  expect(await read('a.odt', makeOdt(['after']))).toEqual([{ text: 'after' }])
})
