import { HttpResponse } from 'msw'
import { describe, expect, it } from 'vitest'
import { expectNoSecret, failureOf, fixture } from '../testing/platform-kit.ts'
import {
  answer,
  botToken,
  channelAfter,
  json,
  refusal,
  secrets,
  urls,
  useDiscord,
  type Reply,
} from './testing/discord-server.ts'
import { testPublicKey } from './testing/sign-discord.ts'

useDiscord()

const webhookUrl = 'https://bot.example.test/api/channels/channel_c/webhook'
const { signal } = new AbortController()

/** The application that the token belongs to. */
const application =
  (changes: Readonly<Record<string, unknown>> = {}): Reply =>
  () =>
    HttpResponse.json({
      ...fixture('discord-api-application-me.json'),
      verify_key: testPublicKey,
      ...changes,
    })
const registered: Reply = () => HttpResponse.json({ id: '1', name: 'ask' }, { status: 201 })
const ask: Reply = () =>
  HttpResponse.json([
    { id: '1', name: 'ask', type: 1 },
    { id: '2', name: 'ban' },
  ])

describe('set-webhook of Discord', () => {
  it('registers the address, then the two commands one by one', async () => {
    answer('get', urls.application, application())
    const patched = answer('patch', urls.application, application())
    const posted = answer('post', urls.commands, registered)
    await channelAfter().setWebhook?.(webhookUrl, signal)
    expect(patched.map(({ body }) => body)).toEqual([{ interactions_endpoint_url: webhookUrl }])
    expect(posted.map(({ body }) => body)).toEqual([
      {
        type: 1,
        name: 'ask',
        description: 'Ask the agent',
        options: [
          { type: 3, name: 'text', description: 'What you want to know', required: true },
          { type: 11, name: 'file', description: 'A picture or another file', required: false },
        ],
      },
      { type: 3, name: 'Ask agent' },
    ])
    for (const { headers } of [...patched, ...posted]) {
      expect(headers.get('authorization')).toBe(`Bot ${botToken}`)
    }
  })
  it('registers the command of the settings', async () => {
    answer('get', urls.application, application())
    answer('patch', urls.application, application())
    const posted = answer('post', urls.commands, registered)
    await channelAfter(0, { channel_c_command: ' /Frage ' }).setWebhook?.(webhookUrl, signal)
    expect(posted[0]?.body).toMatchObject({ name: 'frage' })
  })
  it.each(['http://bot.example.test/api/channels/channel_c/webhook', 'ftp://a', 'no address'])(
    'refuses %s before anybody is asked',
    async (url) => {
      const failure = await failureOf(channelAfter().setWebhook?.(url, signal) ?? Promise.resolve(), secrets)
      expect(failure).toMatchObject({
        code: 'permanent',
        message: expect.stringContaining('only https addresses'),
      })
    },
  )
  const fail = (settings = {}) =>
    failureOf(channelAfter(0, settings).setWebhook?.(webhookUrl, signal) ?? Promise.resolve(), secrets)

  it('refuses a public key that is none', async () => {
    expect((await fail({ channel_c_public_key: 'abc' })).message).toContain('64 hexadecimal digits')
  })
  it('refuses the public key of another application before anything is changed', async () => {
    answer('get', urls.application, application({ verify_key: 'a'.repeat(64) }))
    const patched = answer('patch', urls.application, application())
    expect((await fail()).message).toContain(
      'channel_c_public_key and channel_c_bot_token belong to different applications',
    )
    expect(patched).toHaveLength(0)
  })
  it('says what to check when Discord could not verify the address', async () => {
    answer('get', urls.application, application())
    answer('patch', urls.application, () =>
      HttpResponse.json(
        {
          message: 'Invalid Form Body',
          code: 50_035,
          errors: {
            interactions_endpoint_url: {
              _errors: [{ code: 'APPLICATION_INTERACTIONS_ENDPOINT_URL_INVALID' }],
            },
          },
        },
        { status: 400 },
      ),
    )
    const { code, message } = await fail()
    expect(code).toBe('permanent')
    expect(message).toContain('APPLICATION_INTERACTIONS_ENDPOINT_URL_INVALID')
    expect(message).toContain('Check that the address is reachable from the internet')
  })
  it('refuses the name of a command that Discord does not take', async () => {
    answer('get', urls.application, application())
    answer('patch', urls.application, application())
    const posted = answer('post', urls.commands, registered)
    expect((await fail({ channel_c_command: 'ask me' })).message).toContain('channel_c_command must be')
    expect(posted).toHaveLength(0)
  })
  it.each<[string, Reply, string]>([
    ['a wrong token', () => HttpResponse.json({ message: 'no', code: 0 }, { status: 401 }), 'auth'],
    ['a limit', json('discord-error-429.json', { status: 429 }), 'rate_limited'],
    ['HTTP 500', () => new HttpResponse('', { status: 500 }), 'temporary'],
    ['a broken connection', () => HttpResponse.error(), 'temporary'],
  ])('may be repeated or not after %s, at each step', async (_what, reply, code) => {
    answer('get', urls.application, application())
    answer('patch', urls.application, application())
    answer('post', urls.commands, reply)
    expect((await fail()).code).toBe(code)
    answer('patch', urls.application, reply)
    expect((await fail()).code).toBe(code)
  })
})

describe('probe of Discord', () => {
  it('is content when key, address and command are right', async () => {
    answer('get', urls.application, application())
    answer('get', urls.commands, ask)
    expect(await channelAfter().probe(signal)).toEqual({
      ok: true,
      identity: 'demo',
      webhookUrl: 'https://example.test/api/channels/channel_c/webhook',
      warnings: [],
    })
  })
  it.each<[string, object, string]>([
    [
      'the key of another application',
      { verify_key: 'b'.repeat(64) },
      'channel_c_public_key and channel_c_bot_token',
    ],
    ['no key', { verify_key: undefined }, 'channel_c_public_key and channel_c_bot_token'],
    ['no address', { interactions_endpoint_url: null }, 'No interactions address is set at Discord'],
    [
      'the address of another program',
      { interactions_endpoint_url: 'https://other.example/secret-path' },
      'another program (https://other.example/…)',
    ],
  ])('warns of %s', async (_what, changes, words) => {
    answer('get', urls.application, application({ ...changes }))
    answer('get', urls.commands, ask)
    const probe = await channelAfter().probe(signal)
    expect(probe.ok).toBe(false)
    expect(probe.warnings).toEqual([expect.stringContaining(words)])
    expect(JSON.stringify(probe)).not.toContain('secret-path')
  })
  it('takes a key in capital letters for the same', async () => {
    answer('get', urls.application, application({ verify_key: testPublicKey.toUpperCase() }))
    answer('get', urls.commands, ask)
    expect((await channelAfter().probe(signal)).ok).toBe(true)
  })
  it('warns of a command that is not there', async () => {
    answer('get', urls.application, application())
    answer('get', urls.commands, ask)
    const probe = await channelAfter(0, { channel_c_command: 'frage' }).probe(signal)
    expect(probe).toMatchObject({ ok: true, warnings: [expect.stringContaining('/frage is not registered')] })
  })
  it('does not mind when Discord does not tell the commands', async () => {
    answer('get', urls.application, application())
    answer('get', urls.commands, refusal(403, 20_012))
    expect(await channelAfter().probe(signal)).toMatchObject({ ok: true, warnings: [] })
  })
  it.each<[string, Reply, string]>([
    [
      'a wrong token',
      () => HttpResponse.json({ message: 'no', code: 0 }, { status: 401 }),
      'channel_c_bot_token',
    ],
    ['a broken connection', () => HttpResponse.error(), 'Discord application failed'],
    ['a page', () => HttpResponse.html('<p>hi'), 'not a Discord API response'],
    ['a strange shape', () => HttpResponse.json({ id: '../x' }), 'not a Discord API response'],
  ])('reports %s and does not throw', async (_what, reply, words) => {
    answer('get', urls.application, reply)
    const probe = await channelAfter().probe(signal)
    expect(probe.ok).toBe(false)
    expect(probe.warnings.join()).toContain(words)
    expectNoSecret(probe, secrets)
  })
})
