import { createHmac, createPrivateKey, sign } from 'node:crypto'
import { telegramSecret } from '../telegram/verify-telegram.ts'
import { fixture } from './platform-kit.ts'

/** What the channels of the fixtures are set up with. None is a live credential. */
export const channelSecrets = {
  telegram: '200000002:AAHq3v-testTOKENtestTOKENtestTOKEN0',
  slack: 'xoxb-token-of-the-fixtures',
  slackSigning: '8f742231b10e8888abcd99yyyzzz85a5',
  discord: 'MTAwMDAwMDAwMDAwMDAwMDAwMQ.test.TOKENtestTOKENtestTOKEN',
  bridge: 'bridge-test-secret-0123456789',
  viber: '44dafb7e0f40021e-61a47a1e6778d187-f2c5a676a07050b3',
}
const { test_keys: testKeys } = fixture('vectors.json') as {
  test_keys: { discord: { seed_hex: string; public_key: string } }
}
/** Key of Discord's requests, whose other half is published for tests. */
export const discordPublicKey = testKeys.discord.public_key

/** Seconds since the epoch at which the fixtures were sent. */
const sentAt = '1767225600'
const hmac = (secret: string, content: string | Uint8Array) =>
  createHmac('sha256', secret).update(content).digest('hex')

/** Signs as the platforms do: headers that prove a body. */
export const proofs = {
  telegram: async () => ({
    'x-telegram-bot-api-secret-token': await telegramSecret(channelSecrets.telegram),
  }),
  slack: (body: Uint8Array, secret = channelSecrets.slackSigning) => {
    const signature = hmac(secret, Buffer.concat([Buffer.from(`v0:${sentAt}:`), body]))
    return { 'x-slack-request-timestamp': sentAt, 'x-slack-signature': `v0=${signature}` }
  },
  discord: (body: Uint8Array) => {
    const der = Buffer.from(`302e020100300506032b657004220420${testKeys.discord.seed_hex}`, 'hex')
    const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
    const signature = sign(null, Buffer.concat([Buffer.from(sentAt), body]), key).toString('hex')
    return { 'x-signature-timestamp': sentAt, 'x-signature-ed25519': signature }
  },
  bridge: (body: Uint8Array, secret = channelSecrets.bridge) => ({
    'x-hub-signature-256': `sha256=${hmac(secret, body)}`,
  }),
  viber: (body: Uint8Array, secret = channelSecrets.viber) => ({
    'x-viber-content-signature': hmac(secret, body),
  }),
}
