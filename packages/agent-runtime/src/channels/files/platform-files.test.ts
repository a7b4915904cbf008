import { describe, expect, it } from 'vitest'
import type { Settings } from '@homeward/contract/agent-platform'
import type { Channel, ChannelContext, InboundFile } from '../../ports/channel.ts'
import { createBridgeChannel } from '../bridge/create-bridge-channel.ts'
import { createDiscordChannel } from '../discord/create-discord-channel.ts'
import { createSlackChannel } from '../slack/create-slack-channel.ts'
import { addressOf, channelContext, failureOf, fixture, webhookRequest } from '../testing/platform-kit.ts'
import { createViberChannel } from '../viber/create-viber-channel.ts'

const settings: Settings = {
  channel_b_bot_token: 'xoxb-secret-token-of-slack',
  channel_c_bot_token: 'secret-token-of-discord',
  channel_d_bridge_url: 'http://127.0.0.1:8080/v2',
  channel_d_bridge_secret: 'secret-of-the-bridge',
  channel_e_auth_token: 'secret-token-of-viber',
}
const secrets = Object.entries(settings).flatMap(([key, value]) => (key.includes('url') ? [] : [value]))
const options = { signal: new AbortController().signal, maxBytes: 100 }
const bytes = Uint8Array.of(1, 2, 3)

const create = {
  slack: createSlackChannel,
  discord: createDiscordChannel,
  bridge: createBridgeChannel,
  viber: createViberChannel,
}
type Platform = keyof typeof create

/** A platform that answers downloads, and what it was asked. */
function open(platform: Platform, answer: () => Response = () => new Response(bytes), apiBase?: string) {
  const asked: { readonly url: string; readonly authorization: string | null }[] = []
  const fetch: ChannelContext['fetch'] = async (input, init) => {
    const url = addressOf(input)
    asked.push({ url, authorization: new Headers(init?.headers).get('authorization') })
    return answer()
  }
  const channel = create[platform](settings, channelContext({ verify: 'off', fetch, apiBase }))
  return { channel, asked }
}

async function filesOf(channel: Channel, body: object): Promise<readonly InboundFile[] | undefined> {
  const received = await channel.receive(webhookRequest(body))
  return received.kind === 'message' ? received.message.files : undefined
}

const generic = { id: 'm1', sender: 'ann' }
const signal = (dataMessage: object) => {
  const body = fixture('bridge-signal-message-dm.json')
  const params = body['params'] as { envelope: object } // as the fixture has it
  return { ...body, params: { ...params, envelope: { ...params.envelope, dataMessage } } }
}
const whatsapp = (payload: object) => {
  const { payload: whole, ...body } = fixture('bridge-whatsapp-gowa-message.json')
  return { ...body, payload: { ...(whole as object), body: undefined, ...payload } }
}
const discord = () => {
  const body = fixture('discord-command-dm.json')
  const attachment = {
    id: '7',
    filename: 'v.ogg',
    size: 3,
    url: 'https://cdn.discordapp.com/a?ex=1',
    content_type: 'audio/ogg; x',
    waveform: 'AA',
  }
  const option = { name: 'file', type: 11, value: '7' }
  const data = {
    ...(body['data'] as object),
    options: [option],
    resolved: { attachments: { 7: attachment } },
  }
  return { ...body, data }
}

describe('A1: files that come in', () => {
  it.each<[Platform, string, object, object[]]>([
    [
      'slack',
      'a file',
      fixture('slack-message-file-share.json'),
      [{ kind: 'document', name: 'a.txt', bytes: 12 }],
    ],
    ['discord', 'a voice message', discord(), [{ kind: 'voice message', mediaType: 'audio/ogg', bytes: 3 }]],
    [
      'viber',
      'a picture',
      fixture('viber-message-picture.json'),
      [{ kind: 'picture', name: 'x.jpg', bytes: 12345 }],
    ],
    [
      'bridge',
      'files that come along',
      {
        ...generic,
        files: [
          { name: 'a.png', media_type: 'image/png', data: 'AQID' },
          { media_type: 'audio/ogg', data: 'not base64' },
          'nothing',
        ],
      },
      [
        { kind: 'picture', name: 'a.png', bytes: 3, content: Buffer.from(bytes) },
        { kind: 'voice message', problem: 'its data must be base64' },
        { kind: 'document', problem: 'its data must be base64' },
      ],
    ],
    [
      'bridge',
      'attachments of Signal',
      signal({
        timestamp: 1,
        message: null,
        attachments: [{ contentType: 'audio/aac', id: 'x.aac', size: 9 }],
      }),
      [{ kind: 'voice message', bytes: 9, reference: { attachment: 'x.aac' } }],
    ],
    [
      'bridge',
      'media of WhatsApp',
      whatsapp({ image: { media_path: 'statics/media/1.jpe', mime_type: 'image/jpeg', caption: 'Look' } }),
      [{ kind: 'picture', mediaType: 'image/jpeg', reference: { path: 'statics/media/1.jpe' } }],
    ],
  ])('are read: %s, %s', async (platform, _, body, expected) => {
    expect(await filesOf(open(platform).channel, body)).toMatchObject(expected)
  })

  it('of Slack that the app does not get are described', async () => {
    const body = fixture('slack-message-file-share.json')
    const event = {
      ...(body['event'] as object),
      files: [{ mode: 'tombstone' }, { is_external: true, url_private: 'https://other.test' }],
    }
    const problem = 'Slack does not provide it to the app'
    expect(await filesOf(open('slack').channel, { ...body, event })).toMatchObject([{ problem }, { problem }])
  })

  it.each<[Platform, object, string, string | null]>([
    [
      'slack',
      { url: 'https://files.slack.com/files-pri/a.txt' },
      'https://files.slack.com/files-pri/a.txt',
      `Bearer ${settings.channel_b_bot_token}`,
    ],
    ['discord', { url: 'https://cdn.discordapp.com/a?ex=1' }, 'https://cdn.discordapp.com/a?ex=1', null],
    ['viber', { url: 'https://dl-media.viber.com/x.jpg' }, 'https://dl-media.viber.com/x.jpg', null],
    [
      'bridge',
      { attachment: 'a b.jpg' },
      'http://127.0.0.1:8080/v1/attachments/a%20b.jpg',
      `Bearer ${settings.channel_d_bridge_secret}`,
    ],
    [
      'bridge',
      { path: 'statics/media/1.jpe' },
      'http://127.0.0.1:8080/v2/statics/media/1.jpe',
      `Bearer ${settings.channel_d_bridge_secret}`,
    ],
  ])(
    'are loaded from %s, %j, with the token where it belongs',
    async (platform, reference, url, authorization) => {
      const { channel, asked } = open(platform)
      const loaded = await channel.loadFile!({ ...reference }, options)
      expect(loaded.content).toEqual(bytes)
      expect(asked).toEqual([{ url, authorization }])
    },
  )

  it.each<[Platform, object]>([
    ...(['slack', 'discord', 'viber'] as const).flatMap((platform) =>
      [
        'https://other.test/a',
        'http://files.slack.com/a',
        'http://cdn.discordapp.com/a',
        'http://dl-media.viber.com/a',
        'https://files.slack.com.other.test/a',
        'https://notviber.com/a',
        'https://user:key@files.slack.com/a',
        'https://dl-media.viber.com:8443/a',
        'http://169.254.169.254/latest/meta-data',
        'file:///etc/passwd',
        '',
      ].map((url): [Platform, object] => [platform, { url }]),
    ),
    ['bridge', { attachment: '..' }],
    ['bridge', { path: '../admin' }],
    ['bridge', { path: '/etc/passwd' }],
    ['bridge', { path: 'https://other.test/a' }],
  ])('are asked for nowhere else: %s, %j', async (platform, reference) => {
    const { channel, asked } = open(platform)
    const failure = await failureOf(channel.loadFile!({ ...reference }, options), secrets)
    expect(failure.code).toBe('permanent')
    expect(asked).toEqual([])
  })

  it.each<[Platform, object]>([
    ['slack', { url: 'https://files.slack.com/a' }],
    ['discord', { url: 'https://cdn.discordapp.com/a' }],
    ['viber', { url: 'https://dl-media.viber.com/a' }],
    ['bridge', { attachment: 'a' }],
  ])('are given up after a redirect, a refusal or too many bytes: %s', async (platform, reference) => {
    const codeAfter = async (answer: () => Response) =>
      (await failureOf(open(platform, answer).channel.loadFile!({ ...reference }, options), secrets)).code
    const redirect = { status: 302, headers: { location: 'https://other.test/a' } }
    expect(await codeAfter(() => new Response(null, redirect))).toBe('permanent')
    expect(await codeAfter(() => new Response('expired', { status: 404 }))).toBe('gone')
    expect(await codeAfter(() => new Response('busy', { status: 503 }))).toBe('temporary')
    expect(await codeAfter(() => new Response(new Uint8Array(101)))).toBe('too_long')
  })

  it('of Slack need a scope, and the error says which', async () => {
    const page = () => new Response('<html>', { headers: { 'content-type': 'text/html; charset=utf-8' } })
    const { channel } = open('slack', page)
    const url = 'https://files.slack.com/a'
    const failure = await failureOf(channel.loadFile!({ url, media_type: 'image/png' }, options), secrets)
    expect(failure).toMatchObject({ code: 'auth', message: expect.stringContaining('files:read') })
    await expect(channel.loadFile!({ url, media_type: 'text/html' }, options)).resolves.toBeDefined()
  })

  it('may be at the address that replaces the own one of the platform', async () => {
    const { channel, asked } = open('viber', undefined, 'http://127.0.0.1:9/viber')
    await channel.loadFile!({ url: 'http://127.0.0.1:9/media/1' }, options)
    expect(asked).toHaveLength(1)
  })
})
