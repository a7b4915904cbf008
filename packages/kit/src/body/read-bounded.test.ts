import { expect, it, vi } from 'vitest'
import { readBounded, readChunks } from './read-bounded.ts'

const chunk = (size: number) => new Uint8Array(size).fill(7)

function streamOf(sizes: readonly number[], cancel?: () => void) {
  const left = [...sizes]
  return new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const size = left.shift()
        if (size === undefined) controller.close()
        else controller.enqueue(chunk(size))
      },
      ...(cancel && { cancel }),
    },
    { highWaterMark: 0 },
  )
}

async function* chunksOf(...sizes: number[]) {
  for (const size of sizes) yield chunk(size)
}

it('reads a stream or chunks up to the limit', async () => {
  expect(await readBounded(readChunks(streamOf([2, 3])), 5)).toEqual(chunk(5))
  expect(await readBounded(chunksOf(2, 3), 5)).toEqual(chunk(5))
  expect(await readBounded(readChunks(streamOf([])), 0)).toEqual(chunk(0))
  expect(await readBounded(readChunks(null), 0)).toEqual(chunk(0))
})

it('stops at the limit and cancels the rest', async () => {
  const cancel = vi.fn()
  expect(await readBounded(readChunks(streamOf([2, 4, 9], cancel)), 5)).toBeUndefined()
  expect(cancel).toHaveBeenCalledOnce()
  expect(await readBounded(chunksOf(2, 4), 5)).toBeUndefined()
})

it('rejects when the body breaks', async () => {
  const broken = new ReadableStream<Uint8Array>({ pull: () => Promise.reject(new Error('cut')) })
  await expect(readBounded(readChunks(broken), 5)).rejects.toThrow('cut')
})
