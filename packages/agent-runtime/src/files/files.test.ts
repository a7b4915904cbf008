import { expect, it } from 'vitest'
import { fileTokens } from './file-tokens.ts'
import { isTextType, toMediaType } from './media-type.ts'
import { loadPromptFiles, promptTokens } from './load-prompt-files.ts'
import { toFilePart } from './prompt-files.ts'
import { toNewFiles } from './to-files.ts'

const text = (value: string) => new TextEncoder().encode(value)

it.each([
  [[0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a], 'a.txt', 'image/png'],
  [[0xff, 0xd8, 0xff, 0xe0], '', 'image/jpeg'],
  [text('%PDF-1.7'), '', 'application/pdf'],
  [text('RIFF\0\0\0\0WAVEfmt '), '', 'audio/wav'],
  [text('{}'), 'a.json', 'application/json'],
  [text('a,b'), 'a.CSV', 'text/csv'],
  [text('plain'), '', 'text/plain'],
  [[0, 1, 2], 'a.txt', 'application/octet-stream'],
  [[0xc3, 0x28], 'a.txt', 'application/octet-stream'],
] as const)('tells the type of the bytes %j as the file "%s": %s', async (bytes, name, type) => {
  expect(await toMediaType(undefined, Uint8Array.from(bytes), name)).toBe(type)
  expect(await toMediaType('application/octet-stream', Uint8Array.from(bytes), name)).toBe(type)
})

it('keeps a type that was given, under its usual name', async () => {
  expect(await toMediaType('image/jpg', text('x'), '')).toBe('image/jpeg')
  expect(await toMediaType('text/html', text('%PDF-1.7'), '')).toBe('text/html')
  expect(await toMediaType('Image/PNG; q=1', text('x'), '')).toBe('image/png')
  expect(await toMediaType('image/png\r\nx: y', text('x'), '')).toBe('text/plain')
  expect(await toMediaType('application/vnd.ms-excel', text('a;b'), 'a.csv')).toBe('text/csv')
  expect(await toMediaType('application/vnd.ms-excel', Uint8Array.of(208, 207, 0), 'a.xls')).toBe(
    'application/vnd.ms-excel',
  )
  expect(await toMediaType('video/mp2t', text('const a = 1'), 'a.ts')).toBe('text/plain')
  const types = [
    'text/x',
    'application/json',
    'application/ld+json',
    'image/svg+xml',
    'application/x-shellscript',
  ]
  expect(types.every(isTextType)).toBe(true)
  expect(['image/png', 'application/zip', 'application/jsonp'].some(isTextType)).toBe(false)
})

it('gives files plain names, ids of their own, and equal bytes once', async () => {
  let ids = 0
  const given = [
    { name: '../../etc/pass"wd\u202etxt.exe', data: text('a') },
    { data: text('a') },
    { media_type: 'image/png', data: text('b') },
    { media_type: 'application/vnd.ms-excel', data: Uint8Array.of(99, 0) },
    { media_type: 'audio/mp3', data: text('c') },
  ]
  const { files, contents } = await toNewFiles(given, () => `f${(ids += 1)}`)
  expect(files.map(({ id, name }) => `${id} ${name}`)).toEqual([
    'f1 pass_wd_txt.exe',
    'f2 file-2.txt',
    'f3 file-3.png',
    'f4 file-4',
    'f5 file-5.mp3',
  ])
  expect(contents).toHaveLength(4)
})

it('counts files by medium', () => {
  const count = (media_type: string, bytes: number) => fileTokens({ media_type, bytes })
  expect([count('image/png', 10), count('image/png', 20_000_000)]).toEqual([1500, 1500])
  expect(count('text/csv', 3000)).toBe(1000)
  expect(count('application/pdf', 100)).toBe(3000)
  expect(count('application/pdf', 20_000_000)).toBe(300_000)
  expect(count('audio/mpeg', 16_000 * 60)).toBe(1920)
  expect(count('audio/wav', 32_000 * 60)).toBe(1920)
  expect(count('video/mp4', 125_000 * 10)).toBe(3125)
})

const file = { id: 'f1', name: 'a.png', media_type: 'image/png', bytes: 20_000_000, sha256: 'aa' }
const { signal } = new AbortController()
const promptOf = (earlier: boolean) => [{ role: 'user' as const, content: [toFilePart(file, earlier)] }]

it('counts a file in a prompt by its medium, before and after its bytes are loaded', async () => {
  const estimate = (given: string) => given.length
  const tokens = promptTokens(estimate, promptOf(false))
  expect(tokens).toBeGreaterThan(1500)
  expect(tokens).toBeLessThan(2000)
})

it('loads a file once for a prompt, and says when it was deleted', async () => {
  let reads = 0
  const store = {
    findFile: async () => {
      reads += 1
      return { ...file, content: text('x'), createdAt: '' }
    },
  }
  const twice = [...promptOf(true), ...promptOf(false)]
  const loaded = await loadPromptFiles(store, twice, signal)
  expect(reads).toBe(1)
  expect(loaded.map(({ content }) => content)).toMatchObject([
    [{ data: { type: 'data', data: text('x') } }],
    [{ data: { type: 'data', data: text('x') } }],
  ])
  const empty = { findFile: async () => undefined }
  expect(await loadPromptFiles(empty, promptOf(true), signal)).toMatchObject([
    { content: [{ type: 'text', text: '[The file "a.png" was deleted.]' }] },
  ])
  await expect(loadPromptFiles(empty, promptOf(false), signal)).rejects.toMatchObject({ code: 'not_found' })
})

it('leaves out the oldest files that are too large together, half of them at once', async () => {
  const partOf = (id: number, bytes: number, optional = true) =>
    toFilePart({ ...file, id: String(id), name: `${id}.png`, bytes }, optional)
  const store = { findFile: async () => ({ ...file, content: text('x'), createdAt: '' }) }
  const show = async (sizes: readonly number[]) => {
    const content = [...sizes.map((bytes, at) => partOf(at, bytes)), partOf(99, 20_000_000, false)]
    const [message] = await loadPromptFiles(store, [{ role: 'user', content }], signal)
    const parts = message?.role === 'user' ? message.content : []
    return parts.map((part) => (part.type === 'text' ? '-' : part.filename?.replace('.png', ''))).join(' ')
  }
  const mb = 1_000_000
  expect(await show([10 * mb, 10 * mb, 10 * mb])).toBe('0 1 2 99')
  expect(await show([10 * mb, 10 * mb, 10 * mb, 10 * mb])).toBe('- - - 3 99')
  expect(await show([10 * mb, 10 * mb, 10 * mb, 10 * mb, 10 * mb])).toBe('- - - 3 4 99')
  expect(await show([20 * mb, 20 * mb])).toBe('- 1 99')
  const own = Array.from({ length: 7 }, (_, at) => partOf(at, 20_000_000, false))
  await expect(loadPromptFiles(store, [{ role: 'user', content: own }], signal)).rejects.toMatchObject({
    code: 'validation_error',
  })
})
