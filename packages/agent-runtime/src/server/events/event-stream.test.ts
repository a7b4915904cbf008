import { setImmediate } from 'node:timers/promises'
import { readUIMessageStream } from 'ai'
import { expect, it, vi } from 'vitest'
import { toEventStream } from '@homeward/kit'
import { createUiChunks } from '../ui-chunks.ts'

const read = async (reader: ReadableStreamDefaultReader<Uint8Array>) => {
  const { done, value } = await reader.read()
  return done ? undefined : new TextDecoder().decode(value)
}

it('A6: a slow reader holds the source back', async () => {
  let made = 0
  async function* source() {
    for (;;) yield `data: ${(made += 1)}\n\n`
  }
  const signal = new AbortController().signal
  const reader = toEventStream(source, { keepaliveMs: 1000, signal }).getReader()
  expect(await read(reader)).toBe(': open\n\n')
  expect(await read(reader)).toBe('data: 1\n\n')
  await setImmediate()
  expect(made).toBe(1)
  await reader.cancel()
})

it('A6: going away ends the source, whichever way the host tells', async () => {
  for (const way of ['cancel', 'signal'] as const) {
    const leaving = new AbortController()
    const ended = vi.fn()
    async function* source(signal: AbortSignal) {
      // from the start: when a stream is pulled again is not the same on every Node
      const left = new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
      try {
        yield 'data: 1\n\n'
        await left
      } finally {
        ended(signal.aborted)
      }
    }
    const reader = toEventStream(source, { keepaliveMs: 60_000, signal: leaving.signal }).getReader()
    await read(reader)
    await read(reader)
    const waiting = read(reader)
    if (way === 'signal') leaving.abort()
    else await reader.cancel()
    expect(await waiting, way).toBeUndefined()
    expect(ended).toHaveBeenCalledExactlyOnceWith(true)
  }
})

it('A6: tells of another attempt in a transient part', () => {
  const data = { model: 'a/b', reason: 'status 503', in_ms: 500 }
  expect(createUiChunks()({ event: 'retry', data })).toEqual([{ type: 'data-retry', data, transient: true }])
})

it('A6: puts each turn of the model into a step of its own, with parallel calls in one', () => {
  const toChunks = createUiChunks()
  const types = [
    { event: 'start', data: { run_id: 'r', conversation_id: 'c', model: 'm' } },
    { event: 'tool_start', data: { id: '1', name: 'x', args: {} } },
    { event: 'tool_start', data: { id: '2', name: 'y', args: {} } },
    { event: 'tool_call', data: { id: '2', name: 'y', result: 1 } },
    { event: 'tool_call', data: { id: '1', name: 'x', error: 'no' } },
    { event: 'approval', data: { id: 'p', tool: 'z', args: {} } },
    { event: 'error', data: { message: 'broke', code: 'run_error' } },
  ].flatMap((event) => toChunks(event as never).map(({ type }) => type))
  expect(types).toEqual([
    'start',
    'start-step',
    'tool-input-available',
    'tool-input-available',
    'tool-output-available',
    'tool-output-error',
    'finish-step',
    'start-step',
    'tool-input-available',
    'tool-approval-request',
    'error',
  ])
})

it('A6, A20: a call that a person decided about ends where it was asked about', () => {
  const toChunks = createUiChunks()
  const chunks = [
    { event: 'approval', data: { id: 'p1', tool: 'pay', args: { to: 'a', amount: 1 } } },
    { event: 'approval', data: { id: 'p2', tool: 'pay', args: { to: 'b', amount: 1 } } },
    { event: 'approval', data: { id: 'p3', tool: 'pay', args: {}, run_id: 'below' } },
    { event: 'tool_start', data: { id: '1', name: 'pay', args: { to: 'b', amount: 1 } } },
    { event: 'tool_start', data: { id: '2', name: 'pay', args: { to: 'a', amount: 1 } } },
    { event: 'tool_start', data: { id: '3', name: 'pay', args: {} } },
    { event: 'tool_call', data: { id: '1', name: 'pay', error: 'A person denied this call' } },
    { event: 'tool_call', data: { id: '2', name: 'pay', result: 1 } },
    { event: 'tool_call', data: { id: '3', name: 'pay', result: 1 } },
  ].flatMap((event) => toChunks(event as never).map(({ type, toolCallId }) => [type, toolCallId]))
  expect(chunks.slice(6)).toEqual([
    ['tool-input-available', '3'],
    ['tool-output-error', 'p2'],
    ['tool-output-available', 'p1'],
    ['tool-output-available', '3'],
    ['tool-output-available', 'p3'],
  ])
})

it.each(['done', 'tool_call', 'error'] as const)(
  'A6, A20: a page asks nobody any more about a call of an agent below once %s says that it has ended',
  async (event) => {
    const ends = {
      done: { graph_id: 'g', success: true, output: '', usage: {} },
      tool_call: { id: '1', name: 'run_agent', result: { success: true } },
      error: { message: 'Cancelled', code: 'cancelled' },
    }
    const toChunks = createUiChunks()
    const told = [
      { event: 'start', data: { run_id: 'r', graph_id: 'g' } },
      { event: 'tool_start', data: { id: '1', name: 'run_agent', args: {} } },
      { event: 'approval', data: { id: 'p', tool: 'pay', args: {}, run_id: 'below' } },
      { event, data: ends[event] },
    ]
    const stream = new ReadableStream({
      start(controller) {
        for (const each of told) for (const chunk of toChunks(each as never)) controller.enqueue(chunk)
        controller.close()
      },
    })
    const states = await Array.fromAsync(readUIMessageStream({ stream }))
    expect(states.at(-1)?.parts).toContainEqual(
      expect.objectContaining({
        toolName: 'pay',
        toolCallId: 'p',
        state: 'output-available',
        output: { run_id: 'below' },
      }),
    )
  },
)

it('begins addresses of files with the path below which the server is mounted', () => {
  const data = { id: 'f1', name: 'a.png', media_type: 'image/png', bytes: 3 }
  const [chunk] = createUiChunks({ basePath: '/agents' })({ event: 'file', data } as never)
  expect(chunk).toMatchObject({ type: 'file', url: '/agents/api/files/f1' })
})
