import { createHmac } from 'node:crypto'
import { assert, asyncProperty, constantFrom, nat, string } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { vectorsOf, webhookRequest } from '../testing/platform-kit.ts'
import { verifySlack } from './create-slack-channel.ts'

const vectors = vectorsOf('slack')
const secret = 'e6b19c573432dcc6b075501d51b51bb8'
const sentAt = 1_767_225_600

/** A request that Slack would have signed at `sentAt`. */
function signed(body: string, timestamp: string | number = sentAt) {
  const digest = createHmac('sha256', secret).update(`v0:${timestamp}:${body}`).digest('hex')
  return webhookRequest(body, {
    'x-slack-request-timestamp': String(timestamp),
    'x-slack-signature': `v0=${digest}`,
  })
}

describe('verifySlack', () => {
  it('knows all vectors', () => {
    expect(vectors.length).toBeGreaterThanOrEqual(13)
  })
  for (const vector of vectors) {
    it(`${vector.valid ? 'takes' : 'refuses'} ${vector.id}`, async () => {
      const request = webhookRequest(vector.body, vector.headers)
      expect(await verifySlack(request, vector.secret, (vector.now ?? 0) * 1000)).toBe(vector.valid)
    })
  }
  it.each([
    ['300 s old', 300, true],
    ['301 s old', 301, false],
    ['300 s from the future', -300, true],
    ['301 s from the future', -301, false],
  ])('judges a request that is %s', async (_age, seconds, isTaken) => {
    expect(await verifySlack(signed('{}'), secret, (sentAt + seconds) * 1000)).toBe(isTaken)
  })
  it.each(['', ' 1767225600', '1767225600.5', '1767225600abc', '0x6955f700', '-1767225600', '1.7672256e9'])(
    'refuses the time %j, whatever was signed with it',
    async (timestamp) => {
      expect(await verifySlack(signed('{}', timestamp), secret, sentAt * 1000)).toBe(false)
    },
  )
  it.each([
    ['none', () => undefined],
    ['an empty one', () => ''],
    ['one with a letter in front', (right: string) => `x${right}`],
    ['one with a digit behind', (right: string) => `${right}0`],
  ])('refuses this signature: %s', async (_what, change) => {
    const request = signed('{}')
    const header = (name: string) => {
      const value = request.header(name)
      return name === 'x-slack-signature' ? change(value ?? '') : value
    }
    expect(await verifySlack({ ...request, header }, secret, sentAt * 1000)).toBe(false)
  })
  it('refuses everything while no signing secret is set', async () => {
    expect(await verifySlack(signed('{}'), undefined, sentAt * 1000)).toBe(false)
    expect(await verifySlack(signed('{}'), '', sentAt * 1000)).toBe(false)
  })
  it('takes what was signed and nothing that differs in one place', async () => {
    await assert(
      asyncProperty(
        string({ unit: constantFrom('a', ' ', '\0', '\\', 'é', '🚀') }),
        nat(),
        async (body, at) => {
          const request = signed(body)
          expect(await verifySlack(request, secret, sentAt * 1000)).toBe(true)
          const bytes = request.body.length > 0 ? new Uint8Array(request.body) : new Uint8Array([1])
          const index = at % bytes.length
          bytes[index] = (bytes[index] ?? 0) ^ (request.body.length > 0 ? 1 : 0)
          expect(await verifySlack({ ...request, body: bytes }, secret, sentAt * 1000)).toBe(false)
        },
      ),
      { numRuns: 15 },
    )
  })
})
