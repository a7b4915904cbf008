import type { Json, JsonObject } from '@homeward/contract/agent-platform'
import { expect, it } from 'vitest'
import { parseToolDefinitions } from '../../skills/definitions/parse-tool-definitions.ts'
import { summarizeList } from './summarize-list.ts'

const [definition] = parseToolDefinitions([
  {
    id: 'rooms',
    description: 'Rooms.',
    path: '/rooms',
    list: { rows: 'rooms', fields: ['id', 'name', 'state'], count_by: ['state'] },
    parameters: {
      type: 'object',
      properties: {
        name: { type: 'string', in: 'row' },
        state: { enum: ['free', 'taken'], in: 'row' },
        offset: { type: 'integer', in: 'row' },
      },
    },
  },
])
if (definition?.type !== 'http') throw new Error('no definition')
const summarize = (data: Json, args: JsonObject = {}) => summarizeList(data, definition, args)
const roomOf = (index: number, more: JsonObject = {}): JsonObject => ({
  id: `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`,
  name: `Room ${index}`,
  state: index % 5 === 0 ? 'free' : 'taken',
  ...more,
})
const rooms = Array.from({ length: 700 }, (_, index) =>
  roomOf(index, { facts: { size: 20, floor: 'x'.repeat(200) } }),
)
const bytesOf = (value: Json) => Buffer.byteLength(JSON.stringify(value))

it('gives counts, the first rows and how to narrow a long list', () => {
  const result = summarize({ rooms })
  expect(result).toMatchObject({
    total: 700,
    counts: { state: { taken: 560, free: 140 } },
    next_offset: expect.any(Number),
    narrow: expect.stringContaining('name, state'),
  })
  expect(bytesOf(result)).toBeLessThan(6000)
  expect((result as { rooms: Json[] }).rooms[0]).toEqual(roomOf(0))
})

it('narrows by part of a text and by a whole value, and goes on where it stopped', () => {
  expect(summarize({ rooms }, { name: 'OOM 69', state: 'free' })).toEqual({
    total: 700,
    matching: 2,
    counts: { state: { free: 2 } },
    rooms: [roomOf(690), roomOf(695)],
  })
  const { rooms: first, next_offset: next } = summarize({ rooms }) as { rooms: Json[]; next_offset: number }
  expect(next).toBe(first.length)
  expect(summarize({ rooms }, { offset: next })).toMatchObject({
    rooms: expect.arrayContaining([roomOf(next)]),
  })
  expect(summarize({ rooms }, { offset: 699 })).not.toHaveProperty('next_offset')
})

it('takes the total of a service that gives pages, and says how many rows it counted', () => {
  expect(summarize({ rooms, total: 5000, nextCursor: 'n' })).toMatchObject({
    total: 5000,
    counted: 700,
    nextCursor: 'n',
  })
  expect(summarize({ rooms, total: 700 })).not.toHaveProperty('counted')
})

it('stays small whatever the rows hold, and shows one row at least', () => {
  const long = Array.from({ length: 50 }, (_, index) =>
    roomOf(index, { name: 'ü'.repeat(50_000), state: `s${index}${'x'.repeat(999)}` }),
  )
  const result = summarize({ rooms: long })
  expect(bytesOf(result)).toBeLessThan(8000)
  expect((result as { rooms: Json[] }).rooms.length).toBeGreaterThan(0)
})

it('leaves short lists, and answers without a list, as they are', () => {
  const short = { rooms: rooms.slice(0, 2), nextCursor: 'c' }
  expect(summarize(short)).toBe(short)
  expect(summarize({ error: 'x'.repeat(9000) })).toEqual({ error: 'x'.repeat(9000) })
  expect(summarize('text')).toBe('text')
  expect(summarize({ ...short, rooms })).toMatchObject({ nextCursor: 'c' })
})

it('shortens lists that lie deeper, and says how many rows there are', () => {
  const files = Array.from({ length: 400 }, (_, index) => ({
    path: `/home/ada/documents/${index}.txt`,
    size: index,
  }))
  const result = summarize({ results: [{ status: 'completed', results: { files, apps: [] } }] })
  expect(result).toMatchObject({
    shortened: expect.stringContaining('first rows'),
    results: [{ status: 'completed', results: { files: { total: 400, rows: expect.any(Array) }, apps: [] } }],
  })
  expect(bytesOf(result)).toBeLessThan(6000)
  const few = { results: [{ results: { files: files.slice(0, 3) } }] }
  expect(summarize(few)).toBe(few)
})
