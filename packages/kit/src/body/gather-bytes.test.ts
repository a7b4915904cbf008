import { expect, it } from 'vitest'
import { gatherBytes } from './read-bounded.ts'

it.each([0, 1, 2, 3, 1000, 70_000])('gives the bytes of %i chunks in their order', (count) => {
  const gathered = gatherBytes(1_000_000)
  const sent = Array.from({ length: count }, (_, index) => [index & 255, index >> 8]).flat()
  for (let at = 0; at < sent.length; at += 2) gathered.add(Uint8Array.of(sent[at]!, sent[at + 1]!))
  expect(Buffer.compare(gathered.bytes(), Uint8Array.from(sent))).toBe(0)
})

it('copies nothing of a body that came as one, and writes nothing into the chunks it was given', () => {
  const chunk = Uint8Array.of(1, 2)
  const gathered = gatherBytes(10)
  gathered.add(new Uint8Array())
  gathered.add(chunk)
  expect(gathered.bytes().buffer).toBe(chunk.buffer)
  gathered.add(Uint8Array.of(3))
  gathered.add(Uint8Array.of(4))
  expect([[...gathered.bytes()], [...chunk]]).toEqual([
    [1, 2, 3, 4],
    [1, 2],
  ])
})

it('holds one buffer, however many chunks come', () => {
  const gathered = gatherBytes(100_000)
  for (let count = 0; count < 100_000; count += 1) gathered.add(Uint8Array.of(1))
  expect(gathered.bytes().buffer.byteLength).toBeLessThanOrEqual(200_000)
})

it('says when there is more than it may hold', () => {
  const gathered = gatherBytes(3)
  expect([2, 2, 1].map((size) => gathered.add(new Uint8Array(size)))).toEqual([true, false, false])
})
