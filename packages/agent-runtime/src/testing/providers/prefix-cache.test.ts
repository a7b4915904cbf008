import { expect, it } from 'vitest'
import { createPrefixCache } from './prefix-cache.ts'

const long = 'x'.repeat(8000)
const block = (text: string, isMarked = false) => ({
  type: 'text',
  text,
  ...(isMarked && { cache_control: { type: 'ephemeral' } }),
})
const request = (...content: readonly object[]) =>
  ({ messages: [{ role: 'user', content: [...content] }] }) as never

it('reads a prefix up to a mark that an earlier request wrote, however it is marked now', () => {
  const { usage, share } = createPrefixCache('marks')
  const first = usage(request(block(long, true), block('a')))
  expect(first).toMatchObject({ cacheRead: 0, cacheWrite: expect.any(Number) })
  expect(first.cacheWrite).toBeGreaterThan(2000)
  const second = usage(request(block(long), block('b', true)))
  expect(second.cacheRead).toBe(first.cacheWrite)
  expect(usage(request(block('y'), block(long, true))).cacheRead).toBe(0)
  expect(share()).toBeLessThan(0.6)
})

it('reads nothing without a mark, of a small prompt, or more than 20 blocks before a mark', () => {
  const { usage } = createPrefixCache('marks')
  usage(request(block(long)))
  expect(usage(request(block(long))).cacheRead).toBe(0)
  usage(request(block('small', true)))
  expect(usage(request(block('small', true))).cacheRead).toBe(0)
  usage(request(block(long, true)))
  const fill = (count: number) => Array.from({ length: count }, () => block('z'))
  expect(usage(request(block(long), ...fill(18), block('end', true))).cacheRead).toBeGreaterThan(2000)
  expect(usage(request(block(`${long}2`, true))).cacheRead).toBe(0)
  expect(usage(request(block(`${long}2`), ...fill(20), block('end', true))).cacheRead).toBe(0)
})

it('reads the longest common prefix of requests with one key, in steps of 128 tokens from 1,024 on', () => {
  const { usage } = createPrefixCache('prefixes')
  const ask = (key: string, text: string) =>
    usage({ prompt_cache_key: key, input: [{ role: 'user', content: text }] })
  expect(ask('a', `${long}1`).cacheRead).toBe(0)
  const { cacheRead } = ask('a', `${long}2`)
  expect([cacheRead % 128, cacheRead > 1900]).toEqual([0, true])
  expect(ask('b', `${long}3`).cacheRead).toBe(0)
  ask('a', 'small')
  expect(ask('a', 'small').cacheRead).toBe(0)
})
