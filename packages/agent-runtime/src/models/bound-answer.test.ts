import { describe, expect, it } from 'vitest'
import { createModels } from './create-models.ts'

const mebibyte = 1024 * 1024
const tooLong = 'the provider sent more than 16777216 bytes without a complete event'

/** An answer of so many pieces; how much was taken of it, and whether it was given up. */
function answerOf(piece: string, status: number, pieces = 64) {
  const bytes = new TextEncoder().encode(piece)
  const seen = { bytes: 0, isCancelled: false }
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (seen.bytes >= pieces * bytes.length) return controller.close()
      seen.bytes += bytes.length
      controller.enqueue(bytes)
    },
    cancel() {
      seen.isCancelled = true
    },
  })
  return { seen, answer: new Response(body, { status, headers: { 'content-type': 'text/event-stream' } }) }
}

async function ask(answer: Response): Promise<unknown[]> {
  const settings = { read: async () => ({ openai_api_key: 'sk-1234' }) }
  const models = createModels({ settings, environment: {}, fetch: async () => answer })
  const { model } = await models.resolve('openai-chat/gpt-5', undefined)
  const { stream } = await model.doStream({ prompt: [] })
  return await Array.fromAsync(stream as unknown as AsyncIterable<unknown>) // what a stream of Node is
}

describe('A21: a provider that never ends', () => {
  it.each([
    ['a line', 'x'.repeat(mebibyte)],
    ['an event', `data: ${'x'.repeat(mebibyte)}\r\n`],
  ])('A21: %s is given up after 16 MiB', async (_, piece) => {
    const { seen, answer } = answerOf(piece, 200)
    await expect(ask(answer)).rejects.toMatchObject({ statusCode: 200, cause: { message: tooLong } })
    expect(seen.isCancelled).toBe(true)
    expect(seen.bytes).toBeLessThan(20 * mebibyte)
  })

  it('A21: a refusal is given up after 16 MiB, and keeps its status', async () => {
    const { seen, answer } = answerOf('<p>Down</p>\n\n'.repeat(100_000), 503)
    await expect(ask(answer)).rejects.toMatchObject({ statusCode: 503 })
    expect(seen.isCancelled).toBe(true)
    expect(seen.bytes).toBeLessThan(20 * mebibyte)
  })

  it.each(['\n', '\r\n'])('A21: but an answer of many events that end in %j may be longer', async (end) => {
    const chunk = { id: 'x', choices: [{ index: 0, delta: { content: 'x'.repeat(mebibyte) } }] }
    const { seen, answer } = answerOf(`data: ${JSON.stringify(chunk)}${end}${end}`, 200, 20)
    const parts = await ask(answer)
    expect(parts.filter((part) => Object(part).type === 'text-delta')).toHaveLength(20)
    expect(seen.isCancelled).toBe(false)
  })
})
