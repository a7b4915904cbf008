import type { Json } from '@homeward/contract/agent-platform'
import { expect, it } from 'vitest'
import type { McpToolAnswer } from './read-answers.ts'
import { toMcpResult } from './to-mcp-result.ts'

const text = (said: string) => ({ type: 'text', text: said }) as const
const answer = (content: McpToolAnswer['content'], structuredContent?: Json): McpToolAnswer => ({
  content,
  ...(structuredContent !== undefined && { structuredContent }),
  isError: false,
})
const give = (given: McpToolAnswer) => toMcpResult('s.t', given, 10_000)
const link = { type: 'resource_link', uri: 'file:///log', name: 'log' } as const

it.each<[string, McpToolAnswer, Json]>([
  ['text alone', answer([text('a'), text('b')]), 'a\nb'],
  ['data alone', answer([], { n: 1 }), { n: 1 }],
  [
    'text that repeats the data in another order',
    answer([text('{ "b": 2, "a": 1 }')], { a: 1, b: 2 }),
    { a: 1, b: 2 },
  ],
  ['text beside empty data', answer([text('12 files moved')], {}), '12 files moved'],
  ['text beside an empty list', answer([text('No matches in docs')], []), 'No matches in docs'],
  [
    'text that says more',
    answer([text('2 of 40 rows')], { rows: [1, 2] }),
    { text: '2 of 40 rows', data: { rows: [1, 2] } },
  ],
  [
    'a link beside repeated data',
    answer([text('{"n":1}'), link], { n: 1 }),
    { text: '[resource file:///log]', data: { n: 1 } },
  ],
  ['a list', answer([], ['a', 2]), ['a', 2]],
  ['a list that the text repeats', answer([text('["a",2]')], ['a', 2]), ['a', 2]],
  ['a wrapped text', answer([text('done')], { result: 'done' }), { result: 'done' }],
  [
    'a wrapped list, one text each',
    answer([text('1'), text('{"x":2}')], { result: [1, { x: 2 }] }),
    { result: [1, { x: 2 }] },
  ],
  ['nothing', answer([]), ''],
  ['empty data alone', answer([], {}), {}],
])('gives %s', (_, given, result) => {
  expect(give(given)).toEqual(result)
})

const image = { type: 'image', data: 'iVBORw==', mimeType: 'image/png' } as const
const picture = { type: 'file', media_type: 'image/png', data: 'iVBORw==' }

it.each<[string, McpToolAnswer, unknown]>([
  ['a picture', answer([image]), { content: [picture] }],
  ['a picture beside text', answer([text('a'), image]), { content: [{ type: 'text', text: 'a' }, picture] }],
  [
    'sound beside data that the text repeats',
    answer([text('{"n":1}'), { ...image, type: 'audio', mimeType: 'audio/wav' }], { n: 1 }),
    { data: { n: 1 }, content: [{ ...picture, media_type: 'audio/wav' }] },
  ],
  [
    'a binary resource',
    answer([{ type: 'resource', resource: { uri: 'file:///a/b.pdf?x', blob: 'JVBERg==' } }]),
    { content: [{ type: 'file', media_type: 'application/octet-stream', data: 'JVBERg==', name: 'b.pdf' }] },
  ],
])('gives %s as a file', (_, given, result) => {
  expect(give(given)).toEqual(result)
})

it('bounds the texts beside a picture, not the picture', () => {
  const result = toMcpResult('s.t', answer([text('a'.repeat(200)), image, text('b')]), 100)
  expect(result).toEqual({
    content: [
      { type: 'text', text: `${'a'.repeat(100)}\n[truncated: 200 bytes]` },
      picture,
      { type: 'text', text: '\n[truncated: 1 bytes]' },
    ],
  })
})

it.each<[string, McpToolAnswer, string]>([
  ['its data', answer([], { reason: 'quota', left: 0 }), '{"reason":"quota","left":0}'],
  ['both', answer([text('Denied.')], { code: 'E7' }), 'Denied.\n{"code":"E7"}'],
  ['data that the text repeats once', answer([text('{"code":"E7"}')], { code: 'E7' }), '{"code":"E7"}'],
  ['its text beside empty data', answer([text('It broke')], {}), 'It broke'],
  ['that there is no reason', answer([text(' ')], {}), 'the server sent no reason'],
])('a failure tells %s', (_, given, reason) => {
  expect(() => give({ ...given, isError: true })).toThrow(
    expect.objectContaining({ message: `The tool "s.t" failed: ${reason}` }),
  )
})
