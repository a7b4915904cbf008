import { expect, it } from 'vitest'
import type { StoredDevice } from '../ports/device-store.ts'
import { createKeyCache } from './key-cache.ts'
import { createKeyHashes } from './authenticate-device.ts'

const deviceOf = (hash: string): StoredDevice => ({
  id: `device-${hash}`,
  owner: 'ann',
  name: 'laptop',
  type: 'laptop',
  platform: 'linux',
  metadata: {},
  lastSeenAt: null,
  createdAt: '2026-01-01T00:00:00.000Z',
  key: { hash, hint: 'hw_…', sealed: null },
  labels: [],
})

it('C14: keeps so many keys and no more, however many unknown ones are tried', () => {
  const cache = createKeyCache(() => 0.5, 3)
  for (let index = 0; index < 1000; index += 1) cache.set(`guess-${index}`, undefined, 'current', 0)
  expect(cache.get('guess-996', 1)).toBeUndefined()
  for (const kept of ['guess-997', 'guess-998', 'guess-999']) expect(cache.get(kept, 1)).toBeNull()
})

it('C14: remembers which keys worked, so many and no more', () => {
  const cache = createKeyCache(() => 0.5, 2)
  for (const hash of ['a', 'b', 'b', 'c']) cache.remember(hash)
  expect(['a', 'b', 'c'].map((hash) => cache.wasKnown(hash))).toEqual([false, true, true])
})

it('C14: asks again after 60 s for a key that worked, and after 10 s for one that is unknown', () => {
  const cache = createKeyCache(() => 0.5)
  cache.set('known', deviceOf('known'), 'current', 0)
  cache.set('unknown', undefined, 'current', 0)
  expect([cache.get('known', 59_999)?.id, cache.get('unknown', 9_999)]).toEqual(['device-known', null])
  expect([cache.get('known', 60_000), cache.get('unknown', 10_000)]).toEqual([undefined, undefined])
})

it('C14, C15: spreads what it asks again over 48 to 72 s, and asks again after 5 s for a key that was replaced', () => {
  const askedAfter = (random: number, match: 'current' | 'previous') => {
    const cache = createKeyCache(() => random)
    cache.set('k', deviceOf('k'), match, 0)
    return Array.from({ length: 100 }, (_, second) => second).find((second) => !cache.get('k', second * 1000))
  }
  expect([askedAfter(0, 'current'), askedAfter(0.999, 'current'), askedAfter(0.999, 'previous')]).toEqual([
    48, 72, 5,
  ])
})

it('C15: asks again when the clock was put back, so that a key that ended elsewhere does not work on', () => {
  const cache = createKeyCache(() => 0.999)
  const dayMs = 86_400_000
  for (const hash of ['a', 'b']) cache.set(hash, deviceOf(hash), 'current', dayMs)
  expect(cache.get('a', dayMs)?.id).toBe('device-a')
  expect(cache.get('b', dayMs - 1000)).toBeUndefined()
  cache.set('unknown', undefined, 'current', dayMs)
  expect(cache.get('unknown', 0)).toBeUndefined()
})

it('takes a newer state of a device only for the one it gave out, and keeps its time', () => {
  const cache = createKeyCache(() => 0.5)
  const device = deviceOf('k')
  const newer = { ...device, metadata: { os: 'x' } }
  cache.set('k', device, 'current', 0)
  cache.replace(deviceOf('k'), newer)
  expect(cache.get('k', 1)).toBe(device)
  cache.replace(device, newer)
  expect([cache.get('k', 59_999), cache.get('k', 60_000)]).toEqual([newer, undefined])
  cache.replace(newer, device)
  expect(cache.get('k', 1)).toBeUndefined()
})

it('keeps so many hashes and no more', () => {
  const hashes = createKeyHashes(2)
  for (const name of ['a', 'b', 'a', 'c']) hashes.set(name, `hash of ${name}`)
  expect(['a', 'b', 'c'].map((name) => hashes.get(name))).toEqual([undefined, 'hash of b', 'hash of c'])
})

it('forgets all keys of a device, and no other, after replacements and at the limit', () => {
  const cache = createKeyCache(() => 0.5, 3)
  const device = deviceOf('new')
  cache.set('old', device, 'previous', 0)
  cache.set('new', device, 'current', 0)
  cache.set('other', deviceOf('other'), 'current', 0)
  cache.replace(device, { ...device, name: 'newer' })
  cache.forgetDevice(device.id)
  const known = (...hashes: readonly string[]) => hashes.filter((hash) => cache.get(hash, 1))
  expect(known('old', 'new', 'other')).toEqual(['other'])
  for (const hash of ['a', 'b', 'c']) cache.set(hash, deviceOf(hash), 'current', 0)
  cache.forgetDevice('device-other')
  expect(known('other', 'a', 'b', 'c')).toEqual(['a', 'b', 'c'])
})
