import { expect, it } from 'vitest'
import * as z from 'zod/mini'
import { FileBytes, maxFileBytes } from './file-bytes.ts'

const parse = (given: unknown) => z.safeParse(FileBytes, given)

it('takes base64 with its padding, and bytes as they are', () => {
  for (const bytes of [[0], [255, 254], [1, 2, 3], Array.from({ length: 256 }, (_, byte) => byte)]) {
    const given = Uint8Array.from(bytes)
    expect([...(parse(Buffer.from(given).toString('base64')).data ?? [])]).toEqual(bytes)
    expect(parse(given).data).toBe(given)
  }
})

it.each([
  '',
  'A',
  'AA',
  'AAA',
  'AA=A',
  '====',
  'A===',
  'QR==',
  'QUJ=',
  'AA==\n',
  ' AAA',
  'AA-_',
  'ä234',
  7,
  null,
])('rejects %j', (given) => {
  expect(parse(given).error?.issues).toHaveLength(1)
})

it('says that a data: URL is not base64', () => {
  expect(parse('data:image/png;base64,AAAA').error?.issues[0]?.message).toContain('without "data:"')
})

it('rejects more bytes than a file may have', () => {
  expect(parse(new Uint8Array(maxFileBytes)).success).toBe(true)
  expect(parse(new Uint8Array(maxFileBytes + 1)).success).toBe(false)
})

it('is base64 in JSON Schema', () => {
  const schema = { type: 'string', contentEncoding: 'base64' }
  expect(z.toJSONSchema(FileBytes, { io: 'input' })).toMatchObject(schema)
  expect(z.toJSONSchema(FileBytes, { io: 'output' })).toMatchObject(schema)
})
