import { createHmac } from 'node:crypto'
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { fromHex, hmacSha256, isHmacSha256, isSameSecret, toHex } from './verify-hmac.ts'

it('signs as every other library does', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ minLength: 1 }), fc.uint8Array(), async (secret, content) => {
      const expected = createHmac('sha256', secret).update(content).digest('hex')
      expect(toHex(await hmacSha256(secret, content))).toBe(expected)
      expect(await hmacSha256(secret, 'é🚀')).toEqual(await hmacSha256(secret, Buffer.from('é🚀')))
      expect(await isHmacSha256(secret, content, expected.toUpperCase())).toBe(true)
      expect(await isHmacSha256(`${secret}x`, content, expected)).toBe(false)
    }),
    { numRuns: 50 },
  )
})

it('takes nothing that is no signature for one', async () => {
  const right = toHex(await hmacSha256('secret', 'content'))
  for (const wrong of [
    '',
    'zz',
    right.slice(1),
    `${right}0`,
    `${right}00`,
    ` ${right}`,
    `${right.slice(0, 63)}z`,
    undefined,
  ]) {
    expect(await isHmacSha256('secret', 'content', wrong)).toBe(false)
  }
})

it('believes nobody when no secret is set, even who signs with the empty one', async () => {
  const signed = createHmac('sha256', '').update('content').digest('hex')
  expect(await isHmacSha256('', 'content', signed)).toBe(false)
  expect(await isHmacSha256(undefined, 'content', signed)).toBe(false)
  expect(await isSameSecret('', '')).toBe(false)
  expect(await isSameSecret(undefined, undefined)).toBe(false)
  await expect(hmacSha256('', 'content')).rejects.toThrow(RangeError)
})

it('knows the same secret, and no start of it', async () => {
  expect(await isSameSecret('secret', 'secret')).toBe(true)
  for (const other of ['secre', 'secrets', 'Secret', ' secret']) {
    expect(await isSameSecret(other, 'secret')).toBe(false)
  }
})

it('reads and writes hexadecimal digits', () => {
  fc.assert(
    fc.property(fc.uint8Array(), (bytes) => {
      expect(fromHex(toHex(bytes))).toEqual(bytes)
    }),
  )
})
