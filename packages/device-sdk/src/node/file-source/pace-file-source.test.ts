import { expect, it } from 'vitest'
import type { FileSource } from '../../ports/file-source.ts'
import { paceFileSource } from './pace-file-source.ts'

const size = 1_000_000

function start(maxBytesPerSecond: number, content?: () => Blob) {
  let nowMs = 0
  const bytes = new Uint8Array(size).fill(7)
  const source: FileSource = {
    open: async () => ({
      fileName: 'a',
      size,
      content: content?.() ?? new Blob([bytes]).stream(),
      read: async (from, to) => bytes.slice(from, to),
      close: async () => {},
    }),
  }
  const paced = paceFileSource(source, {
    maxBytesPerSecond,
    now: () => nowMs,
    timers: {
      setTimeout(run, ms) {
        nowMs += ms
        queueMicrotask(run)
        return undefined
      },
      clearTimeout: () => {},
    },
  })
  const stop = new AbortController()
  return { open: () => paced.open('/a', { maxBytes: size, signal: stop.signal }), stop, now: () => nowMs }
}
const sizeOf = async (content: Blob | ReadableStream<Uint8Array>) =>
  (await new Response(content).arrayBuffer()).byteLength

it.each([undefined, () => new Blob([new Uint8Array(size)])])('gives content no faster', async (content) => {
  const { open, now } = start(100_000, content)
  expect(await sizeOf((await open()).content)).toBe(size)
  expect(now()).toBeGreaterThan(9500)
  expect(now()).toBeLessThan(10_100)
})

it('shares the limit among uploads, and counts chunks', async () => {
  const { open, now } = start(100_000)
  const [one, other] = [await open(), await open()]
  await Promise.all([sizeOf(one.content), other.read!(0, 500_000)])
  await other.read!(500_000, size)
  expect(now()).toBeGreaterThan(14_000)
})

it('sends no chunks where one takes too long', async () => {
  expect((await start(10_000).open()).read).toBeUndefined()
})

it('ends with its signal', async () => {
  const { open, stop } = start(100_000)
  const { content } = await open()
  stop.abort(new Error('stopped'))
  await expect(sizeOf(content)).rejects.toThrow('stopped')
})

it('rejects a limit of nothing', () => {
  expect(() => start(0)).toThrow('maxBytesPerSecond')
})
