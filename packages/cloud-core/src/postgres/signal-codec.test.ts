import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { signalCodec } from './create-postgres-store.ts'

const { encode, decode } = signalCodec
const names = fc.array(fc.string({ maxLength: 128 }), { minLength: 1, maxLength: 200 })

it('names everybody who is meant, in messages of a few names', () => {
  fc.assert(
    fc.property(names, (deviceIds) => {
      const messages = encode({ topic: 'work', deviceIds })
      expect(messages).toHaveLength(Math.ceil(deviceIds.length / 40))
      const heard = messages.map(decode)
      expect(heard.flatMap((signal) => (signal?.topic === 'work' ? signal.deviceIds : []))).toEqual(deviceIds)
    }),
  )
})

it('reads what it writes, and nothing else', () => {
  expect(encode({ topic: 'keys', hashes: ['h'] }).map(decode)).toEqual([{ topic: 'keys', hashes: ['h'] }])
  expect(encode({ topic: 'missed' }).map(decode)).toEqual([{ topic: 'missed' }])
  expect(encode({ topic: 'follow', owners: ['ann'] }).map(decode)).toEqual([
    { topic: 'follow', owners: ['ann'] },
  ])
  const events = [{ owner: 'ann', name: 'device.offline', data: { deviceId: 'd1' } }] as const
  expect(encode({ topic: 'events', events }).map(decode)).toEqual([{ topic: 'events', events }])
  for (const value of [undefined, 'work', [], ['news', []], ['work', [1]], ['events', [{}]]])
    expect(decode(value)).toBeUndefined()
})

it('joins events, splits those that do not fit, and tells only their readers of those that are lost', () => {
  const event = (owner: string) => ({ owner, name: 'device.offline', data: { deviceId: 'd' } }) as const
  const [one, two] = [event('ann'), event('bob')]
  const joined = { topic: 'events', events: [one, two] } as const
  const { bulk } = signalCodec
  expect(
    bulk?.join([
      { topic: 'events', events: [one] },
      { topic: 'events', events: [two] },
    ]),
  ).toEqual([joined])
  expect(bulk?.shorten(joined, false)).toEqual([
    { topic: 'events', events: [one] },
    { topic: 'events', events: [two] },
  ])
  const reset = { topic: 'reset', owners: ['ann', 'bob'] } as const
  expect(bulk?.shorten(joined, true)).toEqual([reset])
  expect(bulk?.shorten({ topic: 'events', events: [two] }, false)).toEqual([
    { topic: 'reset', owners: ['bob'] },
  ])
  expect(encode(reset).map(decode)).toEqual([reset])
})
