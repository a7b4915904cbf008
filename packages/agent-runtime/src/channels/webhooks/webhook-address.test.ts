import { expect, it } from 'vitest'
import { isOwnWebhook, showWebhook, toWebhookUrl } from './webhook-address.ts'

it.each(['https://a.example', 'https://a.example/', 'https://a.example//'])(
  'puts the path of a webhook behind %s',
  (baseUrl) => {
    expect(toWebhookUrl(baseUrl, 'channel_e')).toBe('https://a.example/api/channels/channel_e/webhook')
  },
)

it.each([
  'https://a.example/?a=1',
  'https://a.example/?',
  'https://a.example/below#part',
  'https://a.example#',
])('refuses %s, where the path of the webhook would be no path', (baseUrl) => {
  expect(() => toWebhookUrl(baseUrl, 'channel_e')).toThrow(
    expect.objectContaining({ code: 'validation_error' }),
  )
})

it.each(['https://me:word@home.example', 'https://me@home.example/below', 'https://:word@home.example'])(
  'refuses %s without repeating it: no platform is to know a password of the server',
  (baseUrl) => {
    expect(() => toWebhookUrl(baseUrl, 'channel_e')).toThrow(
      expect.objectContaining({
        code: 'validation_error',
        message: expect.not.stringMatching(/word@|me@|home/),
      }),
    )
  },
)

it.each([
  ['https://a.example/api/channels/channel_e/webhook', true],
  ['https://a.example/below/api/channels/viber/webhook', true],
  ['https://a.example/api/channels/viber/webhook?token=t', true],
  ['https://a.example/api/channels/telegram/webhook', false],
  ['https://a.example/api/channels/viber/webhook/more', false],
  ['https://a.example/?/api/channels/viber/webhook', false],
  ['not an address', false],
])('A1: knows the webhook of a server like this one: %s', (address, isOwn) => {
  expect(isOwnWebhook('channel_e', address)).toBe(isOwn)
})

it.each([
  [
    'https://u:p@a.example/api/channels/viber/webhook?token=t#x',
    'https://a.example/api/channels/viber/webhook',
  ],
  ['https://other.example/hooks/a-secret?k=v', 'https://other.example/…'],
  ['a-secret', 'an invalid address'],
])('shows no more of an address than is surely no secret: %s', (address, shown) => {
  expect(showWebhook('channel_e', address)).toBe(shown)
})
