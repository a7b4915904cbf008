import { expect, it } from 'vitest'
import { isWebhookSecret, createWebhookSecret, signWebhook } from './index.ts'

it('signs as Standard Webhooks define: their own example', async () => {
  const message = {
    id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    timestamp: 1_614_265_330,
    body: '{"test": 2432232314}',
  }
  expect(await signWebhook('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', message)).toEqual({
    'webhook-id': message.id,
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  })
})

it('makes secrets that it takes, and takes no others', () => {
  expect(isWebhookSecret(createWebhookSecret((size) => new Uint8Array(size)))).toBe(true)
  for (const text of ['', 'whsec_', 'whsec_AAAA', 'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'])
    expect(isWebhookSecret(text)).toBe(false)
})
