import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { toPayloads, toSignal } from './payloads.ts'

const names = fc.array(fc.string({ maxLength: 128 }), { maxLength: 200 })

it('passes on who is meant in messages that Postgres takes, or tells all to look', () => {
  fc.assert(
    fc.property(names, (deviceIds) => {
      const payloads = toPayloads([{ topic: 'work', deviceIds }], 'me')
      const heard = payloads.map((payload) => toSignal(payload, 'other'))
      for (const payload of payloads) expect(Buffer.byteLength(payload)).toBeLessThan(8000)
      if (heard.some((signal) => signal?.topic === 'missed')) return
      expect(heard.flatMap((signal) => (signal?.topic === 'work' ? signal.deviceIds : []))).toEqual(deviceIds)
    }),
  )
})

it('tells all to look where a name does not fit into a message', () => {
  const hashes = Array.from({ length: 40 }, () => '\u0001'.repeat(128))
  const [payload = '', ...others] = toPayloads([{ topic: 'keys', hashes }], 'me')
  expect([others, toSignal(payload, 'other')]).toEqual([[], { topic: 'missed' }])
})

it('hears nothing of its own, and looks when it does not understand', () => {
  const [own = ''] = toPayloads([{ topic: 'keys', hashes: ['h'] }], 'me')
  expect(toSignal(own, 'me')).toBeUndefined()
  expect(toSignal(own, 'other')).toEqual({ topic: 'keys', hashes: ['h'] })
  for (const text of ['', 'x', '[]', '["other","news",[]]', '["other","work",[1]]'])
    expect(toSignal(text, 'me')).toEqual({ topic: 'missed' })
})
