import type { RequestView } from '@homeward/contract/handler'
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { readForm } from './read-form.ts'

type Part = readonly [name: string, fileName: string | undefined, text: string]

function requestOf(chunks: readonly Uint8Array[], boundary: string): RequestView {
  return {
    method: 'POST',
    path: '/',
    search: '',
    origin: 'http://127.0.0.1',
    remoteAddress: undefined,
    signal: new AbortController().signal,
    header: (name) => (name === 'content-type' ? `multipart/form-data; boundary="${boundary}"` : undefined),
    async *body() {
      yield* chunks
    },
  }
}

async function partsOf(chunks: readonly Uint8Array[], boundary = 'b'): Promise<Part[]> {
  const parts: Part[] = []
  for await (const part of readForm(requestOf(chunks, boundary), 1_000_000, 'content')) {
    if (part.kind === 'field') parts.push([part.name, undefined, part.value])
    else {
      const content: Uint8Array[] = []
      for await (const chunk of part.content) content.push(chunk.slice())
      parts.push([part.name, part.fileName, Buffer.concat(content).toString()])
    }
  }
  return parts
}

function write(parts: readonly Part[], boundary = 'b'): Buffer {
  const texts = parts.map(([name, fileName, text]) => {
    const file = fileName === undefined ? '' : `; filename="${fileName}"\r\nContent-Type: text/plain`
    return `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n${text}\r\n`
  })
  return Buffer.from(`${texts.join('')}--${boundary}--\r\n`)
}

/** Cuts bytes at the given places. */
function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
  const sorted = [0, ...places.map((place) => place % bytes.length), bytes.length].toSorted((a, b) => a - b)
  return sorted.slice(1).map((end, index) => bytes.subarray(sorted[index], end))
}

const parts: Part[] = [
  ['requestId', undefined, 'abc'],
  ['file', 'grüße 文件 👀.txt', 'hel\r\n--\r\n-b-\r\nlo'],
]

it('reads a text part that comes last, wherever the bytes are cut in two', async () => {
  const boundary = '----formdata-undici-012345678901'
  const fieldLast = parts.toReversed()
  const bytes = write(fieldLast, boundary)
  for (let place = 0; place <= bytes.length; place += 1) {
    const chunks = [bytes.subarray(0, place), bytes.subarray(place)]
    expect(await partsOf(chunks, boundary), `cut at ${place}`).toEqual(fieldLast)
  }
})

it('reads a part of the name of the file as one, whatever its headers say', async () => {
  const large = 'x'.repeat(100_000)
  const sent: Part[] = [
    ['requestId', undefined, 'abc'],
    ['content', undefined, large],
  ]
  expect(await partsOf([write(sent)])).toEqual(sent)
})

it('reads a form alike, wherever its bytes are cut in two', async () => {
  const bytes = write(parts)
  for (let place = 0; place <= bytes.length; place += 1) {
    const chunks = [bytes.subarray(0, place), bytes.subarray(place)]
    expect(await partsOf(chunks), `cut at ${place}`).toEqual(parts)
  }
  expect(await partsOf([...bytes].map((byte) => Uint8Array.of(byte)))).toEqual(parts)
})

it('reads any content in any chunks, whatever the boundary looks like', async () => {
  // Made of what boundaries are made of, so that near misses are common.
  const content = fc.string({
    unit: fc.constantFrom('\r', '\n', '-', 'b', '-b', '\r\n--', 'x'),
    maxLength: 30,
  })
  const boundary = fc.constantFrom('b', '-', '----b', 'b-b--', '----WebKitFormBoundaryAaBb')
  await fc.assert(
    fc.asyncProperty(
      boundary,
      fc.array(content, { minLength: 1, maxLength: 3 }),
      fc.array(fc.nat(), { maxLength: 12 }),
      async (mark, contents, places) => {
        fc.pre(contents.every((text) => !`\r\n${text}\r\n`.includes(`\r\n--${mark}`)))
        const sent = contents.map((text, index): Part => [`part${index}`, `file${index}`, text])
        expect(await partsOf(cut(write(sent, mark), places), mark)).toEqual(sent)
      },
    ),
    { numRuns: 1500 },
  )
})

it('refuses a form that was cut, wherever that happened', async () => {
  const bytes = write(parts)
  for (let length = 0; length < bytes.length - 4; length += 1) {
    await expect(partsOf([bytes.subarray(0, length)]), `cut at ${length}`).rejects.toMatchObject({
      status: 400,
    })
  }
})

it.each([
  ['form-data; name="file"; filename="a.txt"', ['file', 'a.txt']],
  ['form-data; name=file; filename=a.txt', ['file', 'a.txt']],
  ['form-data; filename="a;b=c.txt"; name="file"', ['file', 'a;b=c.txt']],
  ['FORM-DATA; NAME="file"; FILENAME="a"', ['file', 'a']],
  ['form-data; name="file"; filename="say \\"hi\\".txt"', ['file', 'say "hi".txt']],
  ['form-data; name="file"; filename="say %22hi%22.txt"', ['file', 'say "hi".txt']],
  ['form-data; name="file"; filename="100%.txt"', ['file', '100%.txt']],
  ['form-data; name="file"; filename="€ 文件 👀"', ['file', '€ 文件 👀']],
  ['form-data; name="file"; filename="e"; filename*=UTF-8\'\'%e2%82%ac', ['file', '€']],
  ['form-data; name="file"; filename="e"; filename*=latin1\'\'%41', ['file', 'e']],
  ['form-data; name="file"; filename=""', ['file', '']],
  [
    'form-data; name="file"; filename="Francais.txt"; filename*=iso-8859-1\'\'Fran%E7ais.txt',
    ['file', 'Francais.txt'],
  ],
  ['form-data; name="file"; filename="e"; filename*=UTF-8\'\'%E7', ['file', 'e']],
  ['form-data; name="file"; FileName* = utf-8\'\'%zz ; filename=e', ['file', 'e']],
  ['form-data; name="content"; filename*=utf-8\'\'%', ['content', undefined]],
  ['form-data; name="file"; filename="a; filename*=b"', ['file', 'a; filename*=b']],
])('takes the names out of %s', async (disposition, [name, fileName]) => {
  const form = `--b\r\nContent-Disposition: ${disposition}\r\n\r\nx\r\n--b--\r\n`
  expect(await partsOf([Buffer.from(form)])).toEqual([[name, fileName, 'x']])
})

const named = (more: string, text = 'x') =>
  `--b\r\nContent-Disposition: form-data; name="content"\r\n${more}\r\n${text}\r\n`

it.each([
  ['has no last boundary', named(''), /ended before its last boundary, which is two dashes/],
  ['has lines without CR', `${named('')}--b--\r\n`.replaceAll('\r\n', '\n'), /End lines with CR and LF/],
  ['has another boundary than was said', `${named('')}--b--`.replaceAll('--b', '--c'), /last boundary/],
  [
    'has an encoded part',
    `${named('Content-Transfer-Encoding: base64\r\n', 'aGk=')}--b--\r\n`,
    /^Content-Transfer-Encoding: is not supported/,
  ],
])('says what is wrong with a form that %s', async (_, form, message) => {
  await expect(partsOf([Buffer.from(form)])).rejects.toMatchObject({
    status: 400,
    body: { error: 'Validation error', message: expect.stringMatching(message) },
  })
})

it('keeps a readable name that is written in Latin-1', async () => {
  const form =
    '--b\r\nContent-Disposition: form-data; name="file"; filename="Größe.txt"\r\n\r\nx\r\n--b--\r\n'
  expect(await partsOf([Buffer.from(form, 'latin1')])).toEqual([['file', 'Größe.txt', 'x']])
})

const whole = `${named('', 'one')}--b--`

it.each([
  [
    'a boundary with text after it',
    whole.replace('one', 'one\r\n--bad\r\ntwo'),
    /followed by other characters/,
  ],
  [
    'a boundary with one dash after it',
    whole.replace('one', 'one\r\n--b-\r\ntwo'),
    /followed by other characters/,
  ],
  [
    'a boundary with a bare LF after it',
    whole.replace('one', 'one\r\n--b\ntwo'),
    /followed by other characters/,
  ],
  ['text after the closing dashes', `${whole}x\r\n`, /followed by other characters/],
  ['parts after the last boundary', `${whole}\r\n${whole}`, /it has parts after its last boundary/],
  ['headers without an end', `--b\r\nA: ${'x'.repeat(20_000)}`, /too long/],
])('refuses %s, wherever it is cut', async (_, form, message) => {
  const bytes = Buffer.from(form)
  for (let place = 0; place <= Math.min(bytes.length, 200); place += 1) {
    await expect(partsOf([bytes.subarray(0, place), bytes.subarray(place)])).rejects.toMatchObject({
      status: 400,
      body: { message: expect.stringMatching(message) },
    })
  }
})

it('takes padding after boundaries, and text before the first and after the last', async () => {
  const form = `before\r\n${whole.replace('--b\r\n', '--b \t\r\n')}  \r\nafter --b\r\n--c`
  const bytes = Buffer.from(form)
  for (let place = 0; place <= bytes.length; place += 1) {
    const chunks = [bytes.subarray(0, place), bytes.subarray(place)]
    expect(await partsOf(chunks), `cut at ${place}`).toEqual([['content', undefined, 'one']])
  }
  expect(await partsOf([...bytes].map((byte) => Uint8Array.of(byte)))).toEqual([
    ['content', undefined, 'one'],
  ])
})

it('takes a part that says that it is as it is', async () => {
  const form = `${named('Content-Transfer-Encoding: Binary\r\n')}--b--\r\n`
  expect(await partsOf([Buffer.from(form)])).toEqual([['content', undefined, 'x']])
})
