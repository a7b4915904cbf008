import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { type SignalCodec, toPayloads, toSignals } from './payloads.ts'

type Signal = readonly string[]
const codec: SignalCodec<Signal> = {
  encode: (names) => (names.length === 1 ? [names] : names.map((name) => [name])),
  decode: (value) =>
    Array.isArray(value) && value.every((name) => typeof name === 'string') ? value : undefined,
  missed: [['missed']],
}
const names = fc.array(fc.string({ maxLength: 9000 }), { minLength: 2, maxLength: 20 })

it('passes on signals in messages that Postgres takes, or tells all to look', () => {
  fc.assert(
    fc.property(names, (signal) => {
      const payloads = toPayloads(codec, [signal], 'me')
      for (const payload of payloads) expect(Buffer.byteLength(payload)).toBeLessThan(8000)
      const heard = payloads.flatMap((payload) => toSignals(codec, payload, 'other')).flat()
      expect([signal, ['missed']]).toContainEqual(heard)
    }),
  )
})

it('tells all to look where a name does not fit into a message', () => {
  expect(toPayloads(codec, [['\u0001'.repeat(2000)]], 'me')).toEqual(['["me",["missed"]]'])
})

it('hears nothing of its own, and looks when it does not understand', () => {
  const [own = ''] = toPayloads(codec, [['h']], 'me')
  expect(toSignals(codec, own, 'me')).toEqual([])
  expect(toSignals(codec, own, 'other')).toEqual([['h']])
  for (const text of ['', 'x', '[]', '["other"]', '["other",[1]]', '["other",["h"],2]'])
    expect(toSignals(codec, text, 'me')).toEqual([['missed']])
})
