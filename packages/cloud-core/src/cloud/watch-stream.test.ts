import { expect, it, vi } from 'vitest'
import { watchStream } from './in-flight.ts'

/** A stream of numbered chunks that a test can look at and break. */
function start(chunks = 3) {
  const source = { pulls: 0, canceledFor: undefined as unknown, break: () => {} }
  const content = new ReadableStream<Uint8Array>(
    {
      start: (controller) => void (source.break = () => controller.error(new Error('the disk is gone'))),
      pull(controller) {
        source.pulls += 1
        if (source.pulls > chunks) controller.close()
        else controller.enqueue(Uint8Array.of(source.pulls))
      },
      cancel: (reason) => void (source.canceledFor = reason),
    },
    { highWaterMark: 0 },
  )
  const ended = vi.fn<() => void>()
  return { source, ended, reader: watchStream(content, ended).getReader() }
}

const settled = () => new Promise<void>((resolve) => setImmediate(resolve))

it('gives the bytes as they are, one chunk for each read, and tells of its end once', async () => {
  const { source, ended, reader } = start()
  await settled()
  expect(source.pulls).toBe(0)
  for (const each of [1, 2, 3]) {
    expect(await reader.read()).toEqual({ done: false, value: Uint8Array.of(each) })
    await settled()
    expect(source.pulls).toBe(each)
  }
  expect(ended).not.toHaveBeenCalled()
  expect(await reader.read()).toEqual({ done: true, value: undefined })
  await reader.cancel()
  expect(ended).toHaveBeenCalledOnce()
})

it('fails as its source does, also where nobody reads', async () => {
  const { source, ended, reader } = start()
  await reader.read()
  source.break()
  await settled()
  expect(ended).toHaveBeenCalledOnce()
  await expect(reader.read()).rejects.toThrow('the disk is gone')
  await settled()
  expect(ended).toHaveBeenCalledOnce()
})

it('cancels its source, also while a read waits', async () => {
  const { source, ended, reader } = start()
  const waiting = reader.read()
  await reader.cancel('enough')
  await waiting
  expect(source.canceledFor).toBe('enough')
  await settled()
  expect(ended).toHaveBeenCalledOnce()
})
