import type { LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { expect, it } from 'vitest'
import { streamOf } from '../../models/model-answer.ts'
import {
  createModelTurn,
  parseArguments,
  readModelTurn,
  turnText,
  type ModelTurn,
  type OtherPart,
} from './answer.ts'
import { readPart } from './answer-parts.ts'
import type { Run } from './run.ts'

const silent = { onDelta() {} }
// of a run, only these are asked for
const run = {
  row: { agentId: 'a' },
  context: { now: Date.now },
  taint() {},
  redact: { text: String, json: (value: unknown) => value },
  writer: { messages: [], note() {} },
} as unknown as Run
const usage = {
  inputTokens: { total: 1, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 1, text: undefined, reasoning: undefined },
}

const longAnswer = (words: number) =>
  streamOf([
    { type: 'text-start', id: 't' },
    ...Array.from({ length: words }, () => ({ type: 'text-delta', id: 't', delta: 'word ' }) as const),
    { type: 'text-end', id: 't' },
    { type: 'finish', finishReason: { unified: 'stop', raw: 'stop' }, usage },
  ])

it('lets others in while it reads a long answer that never waits for a network', async () => {
  let turns = 0
  let pending = setImmediate(function count() {
    turns += 1
    pending = setImmediate(count)
  })
  const turn = createModelTurn()
  const { signal } = new AbortController()
  await readModelTurn(longAnswer(5000), turn, 1_000_000, silent, signal)
  clearImmediate(pending)
  expect(turnText(turn)).toBe('word '.repeat(5000))
  expect(turns).toBeGreaterThanOrEqual(100)
})

it('cuts an answer at its limit, also within a piece of it and before half a character', async () => {
  const turn = createModelTurn()
  const told: string[] = []
  const stream = streamOf([
    { type: 'reasoning-delta', id: 'r', delta: 'mm' },
    { type: 'text-delta', id: 't', delta: 'Yes' },
    { type: 'text-delta', id: 't', delta: `, so ${'🙂'.repeat(10_000)}` },
  ])
  const { signal } = new AbortController()
  await readModelTurn(stream, turn, 13, { onDelta: (delta, type) => told.push(`${type} ${delta}`) }, signal)
  expect([turnText(turn), told, turn.finish]).toEqual([
    'Yes, so 🙂',
    ['reasoning mm', 'text Yes', 'text , so 🙂'],
    'length',
  ])
})

it('ends at once when it is stopped while others have their turn', async () => {
  const stopping = new AbortController()
  const turn = createModelTurn()
  setImmediate(() => stopping.abort(new Error('stopped')))
  const { signal } = stopping
  await expect(readModelTurn(longAnswer(5000), turn, 1_000_000, silent, signal)).rejects.toThrow('stopped')
  expect(turnText(turn).length).toBeLessThan(2500)
})

it('gives each call of a turn an id of its own, whatever the model calls them', async () => {
  const turn = createModelTurn()
  const calls = ['a', 'a-3', 'a', '', 'a', ''].map(
    (toolCallId) => ({ type: 'tool-call', toolCallId, toolName: 'look_up', input: '{}' }) as const,
  )
  const finish = {
    type: 'finish',
    finishReason: { unified: 'tool-calls', raw: 'tool_calls' },
    usage,
  } as const
  const { signal } = new AbortController()
  await readModelTurn(streamOf([...calls, finish]), turn, 1_000_000, silent, signal)
  expect(turn.calls.map(({ id }) => id)).toEqual(['a', 'a-3', 'a-4', 'call-4', 'a-5', 'call-6'])
})

it('gives up an answer whose hosted tools find without end', async () => {
  const turn = createModelTurn()
  const result = { url: 'https://a.example/', text: 'x'.repeat(900_000) }
  const parts = Array.from({ length: 20 }, (_, number) => {
    return { type: 'tool-result', toolCallId: `s${number}`, toolName: 'web_search', result } as const
  })
  const { signal } = new AbortController()
  const onPart = (read: ModelTurn, part: OtherPart) => readPart(run, read, part, () => {})
  const read = readModelTurn(streamOf(parts), turn, 1_000_000, { ...silent, onPart }, signal)
  await expect(read).rejects.toThrow('4000000')
  expect(turn.parts).toHaveLength(4)
})

it('takes the title of a source from a later citation, and keeps sources without a title for the end', async () => {
  const page = (url: string, title?: string) =>
    ({ type: 'source', sourceType: 'url', id: url, url, ...(title && { title }) }) as const
  const finish = { type: 'finish', finishReason: { unified: 'stop', raw: 'stop' }, usage } as const
  const cited: LanguageModelV4StreamPart = {
    type: 'text-end',
    id: 't',
    citations: [{ source: page('https://a.example/?utm_source=openai', 'Weather') }],
  }
  const parts = [
    page('https://a.example/'),
    page('https://b.example/'),
    { type: 'text-delta', id: 't', delta: 'Sunny.' } as const,
    cited,
  ]
  const { signal } = new AbortController()
  const told: string[] = []
  const onPart = (read: ModelTurn, part: OtherPart) =>
    readPart(run, read, part, ({ event, data }) => {
      if (event === 'source' && 'url' in data) told.push(`${data.url} ${data.title ?? 'none'}`)
    })
  const turn = createModelTurn()
  await readModelTurn(streamOf([...parts, finish]), turn, 1000, { ...silent, onPart }, signal)
  expect(told).toEqual(['https://a.example/ Weather', 'https://b.example/ none'])
  expect(turn.parts.map(({ type }) => type)).toEqual(['text', 'source', 'source'])

  told.length = 0
  const broken = readModelTurn(
    streamOf(parts.slice(0, 2)),
    createModelTurn(),
    1000,
    { ...silent, onPart },
    signal,
  )
  await expect(broken).rejects.toThrow('ended early')
  expect(told).toEqual(['https://a.example/ none', 'https://b.example/ none'])
})

it.each(['', ' ', 'null', ' null\n', '{}'])('takes %j for no arguments', (input) => {
  expect(parseArguments(input)).toEqual({})
})
