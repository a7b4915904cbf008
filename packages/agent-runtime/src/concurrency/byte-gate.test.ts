import { expect, it } from 'vitest'
import { createByteGate } from './byte-gate.ts'

const { signal } = new AbortController()
const settled = async () => new Promise((resolve) => setImmediate(resolve))

it('lets in what fits, in order, and what is too large alone', async () => {
  const gate = createByteGate(10)
  const inside: string[] = []
  const enter = async (name: string, bytes: number) => {
    const leave = await gate.enter(bytes, signal)
    inside.push(name)
    return leave
  }
  const [a, b] = [enter('a', 6), enter('b', 4)]
  const [c, d] = [enter('c', 20), enter('d', 1)]
  await settled()
  expect(inside).toEqual(['a', 'b'])
  for (const leave of [await a, await a, await b]) leave()
  await settled()
  expect(inside).toEqual(['a', 'b', 'c'])
  ;(await c)()
  await settled()
  expect(inside).toEqual(['a', 'b', 'c', 'd'])
  ;(await d)()
})

it('makes room when somebody gives up, waiting or inside', async () => {
  const gate = createByteGate(10)
  const [first, second] = [new AbortController(), new AbortController()]
  await gate.enter(10, first.signal)
  const waits = gate.enter(10, second.signal)
  const last = gate.enter(10, signal)
  second.abort(new Error('gone'))
  await expect(waits).rejects.toThrow('gone')
  first.abort()
  ;(await last)()
  await expect(gate.enter(1, AbortSignal.abort(new Error('before')))).rejects.toThrow('before')
  ;(await gate.enter(10, signal))()
})
