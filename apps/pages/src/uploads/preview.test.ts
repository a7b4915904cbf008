import { expect, it } from 'vitest'
import { previewKind } from './file-address.ts'
import { decodeText, readBegin } from './file-preview.tsx'

it('previews pictures, PDF and text, and shows what could run as text', () => {
  expect(previewKind('Photo.JPG')).toEqual({ kind: 'image', mediaType: 'image/jpeg' })
  for (const name of ['notes.txt', 'page.html', 'logo.svg', 'Makefile', 'a.b/c.csv'])
    expect(previewKind(name)).toEqual({ kind: 'text' })
  expect(previewKind('Scan.PDF')).toEqual({ kind: 'pdf' })
  for (const name of ['setup.exe', 'constructor', 'a.__proto__', ''])
    expect(previewKind(name)).toBeUndefined()
})

const streamOf = (...parts: string[]) => {
  let isCanceled = false
  const chunks = parts.map((part) => new TextEncoder().encode(part))
  const stream = new ReadableStream<Uint8Array>({
    pull(controller) {
      const next = chunks.shift()
      if (next) controller.enqueue(next)
      else controller.close()
    },
    cancel() {
      isCanceled = true
    },
  })
  return { stream, isCanceled: () => isCanceled }
}

it('reads the begin of a long file only, and cuts no character in two', async () => {
  const long = streamOf('ab', 'cdé', 'never')
  const begin = await readBegin(long.stream, 5)
  expect(begin.isCut).toBe(true)
  expect(long.isCanceled()).toBe(true)
  expect(decodeText(begin)).toBe('abcd')
  expect(await readBegin(streamOf('ab', 'c').stream, 3)).toMatchObject({ isCut: false })
})

it('takes bytes for text only where they are UTF-8 without zeros', async () => {
  expect(decodeText({ bytes: new Uint8Array([0x61, 0]), isCut: false })).toBeUndefined()
  expect(decodeText({ bytes: new Uint8Array([0xff, 0xfe, 0x61]), isCut: false })).toBeUndefined()
})
