import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createInFlight } from './in-flight.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

it('is idle at once when nothing is under way', async () => {
  await createInFlight().ended(1000)
  expect(vi.getTimerCount()).toBe(0)
})

it('waits for everything under way, whether it succeeds or fails', async () => {
  const inFlight = createInFlight()
  const first = Promise.withResolvers<void>()
  const second = Promise.withResolvers<void>()
  const work = [inFlight.track(first.promise), inFlight.track(second.promise)]
  const ended = vi.fn<() => void>()
  const waiting = inFlight.ended(1000).then(ended)
  first.reject(new Error('cut'))
  await vi.advanceTimersByTimeAsync(10)
  expect(ended).not.toHaveBeenCalled()
  second.resolve()
  await waiting
  expect(vi.getTimerCount()).toBe(0)
  await Promise.allSettled(work)
})

it('waits for the body of an answer, where that is a stream', async () => {
  const inFlight = createInFlight()
  const text = { status: 200, headers: {}, body: 'text' }
  expect(await inFlight.trackReply(Promise.resolve(text))).toBe(text)
  await expect(inFlight.trackReply(Promise.reject(new Error('cut')))).rejects.toThrow('cut')
  await inFlight.ended(1000)

  const body = new Blob(['bytes']).stream()
  const answer = await inFlight.trackReply(Promise.resolve({ ...text, body }))
  const ended = vi.fn<() => void>()
  const waiting = inFlight.ended(1000).then(ended)
  await vi.advanceTimersByTimeAsync(10)
  expect(ended).not.toHaveBeenCalled()
  expect(await new Response(answer.body).text()).toBe('bytes')
  await waiting
  expect(vi.getTimerCount()).toBe(0)
})

it('gives up after its time', async () => {
  const inFlight = createInFlight()
  void inFlight.track(new Promise(() => {}))
  const waiting = inFlight.ended(1000)
  await vi.advanceTimersByTimeAsync(1000)
  await waiting
})
