import { createHmac } from 'node:crypto'
import { expect, it } from 'vitest'
import { webhookRequest } from '../testing/platform-kit.ts'
import { telegramSecret, verifyTelegram } from './verify-telegram.ts'

it('makes the secret of a token from characters that Telegram takes, the same for ever', async () => {
  for (let index = 0; index < 30; index += 1) {
    const token = `${index}:token`
    const digest = createHmac('sha256', token).update('channel_a webhook secret v1').digest('base64url')
    expect(await telegramSecret(token)).toBe(digest)
    expect(
      await verifyTelegram(webhookRequest('{}', { 'x-telegram-bot-api-secret-token': digest }), token),
    ).toBe(true)
  }
})

it('has no secret without a token', async () => {
  expect(await telegramSecret('')).toBe('')
})
