import { describe, expect, expectTypeOf, it } from 'vitest'
import * as z from 'zod/mini'
import { readEvents } from './index.ts'

const events = { text: z.object({ delta: z.string() }), end: z.object({ count: z.int() }) }

function streamOf(chunks: readonly string[]) {
  const encoder = new TextEncoder()
  let cancelled = false
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(encoder.encode(chunk))
    },
    cancel() {
      cancelled = true
    },
  })
  return { stream, wasCancelled: () => cancelled }
}

function bytesOf(parts: readonly Uint8Array[]) {
  return new ReadableStream<Uint8Array>({
    start(controller) {
      for (const part of parts) controller.enqueue(part)
      controller.close()
    },
  })
}

describe('readEvents', () => {
  it('gives each event parsed, wherever the chunks are cut', async () => {
    const whole = new TextEncoder().encode(
      ': keepalive\n\nid: r:1\nevent: text\ndata: {"delta":"héllo"}\n\nid: r:2\nevent: end\ndata: {"count":1}\n\n',
    )
    for (let size = 1; size < whole.length; size += 7) {
      const parts: Uint8Array[] = []
      for (let at = 0; at < whole.length; at += size) parts.push(whole.slice(at, at + size))
      const found = await Array.fromAsync(readEvents(bytesOf(parts), events))
      expect(found).toEqual([
        { id: 'r:1', event: 'text', data: { delta: 'héllo' } },
        { id: 'r:2', event: 'end', data: { count: 1 } },
      ])
    }
  })

  it('skips events that it does not know', async () => {
    const text = 'event: later\ndata: no json\n\ndata: {}\n\nevent: end\ndata: {"count":2,"more":true}\n\n'
    const found = await Array.fromAsync(readEvents(bytesOf([new TextEncoder().encode(text)]), events))
    expect(found).toEqual([{ id: undefined, event: 'end', data: { count: 2 } }])
  })

  it('gives what came before an event that is broken, then fails', async () => {
    const { stream } = streamOf(['event: end\ndata: {"count":1}\n\nevent: end\ndata: {"count":"x"}\n\n'])
    const seen: unknown[] = []
    const reading = (async () => {
      for await (const { data } of readEvents(stream, events)) seen.push(data)
    })()
    await expect(reading).rejects.toThrow('Reading the event "end" failed')
    expect(seen).toEqual([{ count: 1 }])
  })

  it('refuses an event that grows without end', async () => {
    const { stream, wasCancelled } = streamOf(['event: text\n', `data: ${'x'.repeat(200)}`, 'x'.repeat(200)])
    const reading = Array.fromAsync(readEvents(stream, events, { maxEventLength: 300 }))
    await expect(reading).rejects.toThrow('an event must have at most 300 characters')
    expect(wasCancelled()).toBe(true)
  })

  it('gives the connection up when the loop is left', async () => {
    const { stream, wasCancelled } = streamOf(['event: end\ndata: {"count":1}\n\n'])
    for await (const event of readEvents(stream, events)) {
      if (event.event === 'end') expectTypeOf(event.data).toEqualTypeOf<{ count: number }>()
      break
    }
    expect(wasCancelled()).toBe(true)
  })
})
