import { createPrivateKey, sign } from 'node:crypto'
import { assert, asyncProperty, constantFrom, nat, string } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fixture, vectorsOf, webhookRequest } from '../testing/platform-kit.ts'
import { fromHex } from '../webhooks/verify-hmac.ts'
import { signDiscord, testPublicKey } from './testing/sign-discord.ts'
import { isEd25519, isPublicKey, verifyDiscord } from './create-discord-channel.ts'

const vectors = vectorsOf('discord')
const sentAt = 1_767_225_600

interface KnownAnswer {
  readonly name: string
  readonly public_key: string
  readonly message_hex: string
  readonly signature: string
}
const { known_answers: knownAnswers } = fixture('vectors.json') as unknown as { known_answers: KnownAnswer[] } // its documented shape

describe('verifyDiscord', () => {
  it('knows all vectors', () => {
    expect(vectors.length).toBeGreaterThanOrEqual(8)
  })
  for (const vector of vectors) {
    it(`${vector.valid ? 'takes' : 'refuses'} ${vector.id}`, async () => {
      const request = webhookRequest(vector.body, vector.headers)
      expect(await verifyDiscord(request, vector.public_key, (vector.now ?? 0) * 1000)).toBe(vector.valid)
    })
  }
  for (const { name, public_key: key, message_hex: message, signature } of knownAnswers) {
    it(`takes ${name}, and not with one bit changed`, async () => {
      expect(await isEd25519(key, signature, fromHex(message))).toBe(true)
      const changed = signature.replace(/.$/, (digit) => (digit === '0' ? '1' : '0'))
      expect(await isEd25519(key, changed, fromHex(message))).toBe(false)
    })
  }
  it.each([
    ['900 s old', 900, true],
    ['901 s old', 901, false],
    ['900 s from the future', -900, true],
    ['901 s from the future', -901, false],
  ])('judges a request that is %s', async (_age, seconds, isTaken) => {
    expect(await verifyDiscord(signDiscord('{}', sentAt), testPublicKey, (sentAt + seconds) * 1000)).toBe(
      isTaken,
    )
  })
  it.each(['', '1767225600abc', '1767225600.5', ' 1767225600', '-1767225600'])(
    'refuses the time %j, whatever was signed with it',
    async (timestamp) => {
      expect(await verifyDiscord(signDiscord('{}', timestamp), testPublicKey, sentAt * 1000)).toBe(false)
    },
  )
  it.each([
    ['none', undefined],
    ['an empty one', ''],
    ['one that is too short', testPublicKey.slice(2)],
    ['one that is too long', `${testPublicKey}00`],
    ['letters', 'z'.repeat(64)],
    ['zeros', '0'.repeat(64)],
    ['no point of the curve', 'f'.repeat(64)],
  ])('refuses everything with this as the public key: %s', async (_what, key) => {
    expect(await verifyDiscord(signDiscord('{}', sentAt), key, sentAt * 1000)).toBe(false)
  })
  it.each([
    ['one digit less', (hex: string) => hex.slice(1)],
    ['one byte more', (hex: string) => `${hex}00`],
    ['a space in front', (hex: string) => ` ${hex}`],
    ['0x in front', (hex: string) => `0x${hex.slice(2)}`],
    ['a line end behind', (hex: string) => `${hex}\n`],
  ])('refuses a signature with %s', async (_what, change) => {
    const request = signDiscord('{}', sentAt)
    const header = (name: string) =>
      name === 'x-signature-ed25519' ? change(request.header(name) ?? '') : request.header(name)
    expect(await verifyDiscord({ ...request, header }, testPublicKey, sentAt * 1000)).toBe(false)
  })
  it.each(['x-signature-timestamp', 'x-signature-ed25519'])(
    'refuses a request without %s',
    async (missing) => {
      const request = signDiscord('{}', sentAt)
      const header = (name: string) => (name === missing ? undefined : request.header(name))
      expect(await verifyDiscord({ ...request, header }, testPublicKey, sentAt * 1000)).toBe(false)
    },
  )
  it('takes a key and a signature in capital letters', async () => {
    const request = signDiscord('{}', sentAt)
    const header = (name: string) => request.header(name)?.toUpperCase()
    expect(await verifyDiscord({ ...request, header }, testPublicKey.toUpperCase(), sentAt * 1000)).toBe(true)
  })
  it('refuses the signature of another key', async () => {
    const other = createPrivateKey({
      key: Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), Buffer.alloc(32, 7)]),
      format: 'der',
      type: 'pkcs8',
    })
    const signature = sign(null, Buffer.from(`${sentAt}{}`), other).toString('hex')
    const request = webhookRequest('{}', {
      'x-signature-timestamp': String(sentAt),
      'x-signature-ed25519': signature,
    })
    expect(await verifyDiscord(request, testPublicKey, sentAt * 1000)).toBe(false)
  })
  it('takes what was signed and nothing that differs in one place', async () => {
    await assert(
      asyncProperty(
        string({ unit: constantFrom('a', ' ', '\0', '\\', 'é', '🚀'), minLength: 1 }),
        nat(),
        async (body, at) => {
          const request = signDiscord(body, sentAt)
          expect(await verifyDiscord(request, testPublicKey, sentAt * 1000)).toBe(true)
          const bytes = new Uint8Array(request.body)
          const index = at % bytes.length
          bytes[index] = (bytes[index] ?? 0) ^ 1
          expect(await verifyDiscord({ ...request, body: bytes }, testPublicKey, sentAt * 1000)).toBe(false)
        },
      ),
      { numRuns: 15 },
    )
  })
})

describe('isEd25519', () => {
  it('takes nothing under a key that is none', async () => {
    expect(await isEd25519('00', '0'.repeat(128), new Uint8Array())).toBe(false)
  })
})

describe('isPublicKey', () => {
  it('knows 32 bytes in hexadecimal digits', () => {
    expect(isPublicKey(testPublicKey)).toBe(true)
    expect(isPublicKey(undefined)).toBe(false)
    expect(isPublicKey('PUBLIC_KEY_HEX_64')).toBe(false)
    expect(isPublicKey(`0${testPublicKey}`)).toBe(false)
    expect(isPublicKey(`${testPublicKey}0`)).toBe(false)
  })
})
