import { describe, expect, it } from 'vitest'
import type { Settings } from '@homeward/contract/agent-platform'
import type { OutboundFile } from '../../ports/channel.ts'
import { createBridgeChannel } from '../bridge/create-bridge-channel.ts'
import { createDiscordChannel } from '../discord/create-discord-channel.ts'
import { createSlackChannel } from '../slack/create-slack-channel.ts'
import { createTelegramChannel } from '../telegram/create-telegram-channel.ts'
import { channelContext, failureOf } from '../testing/platform-kit.ts'

const settings = {
  channel_a_bot_token: '200000002:AAHq3v-testTOKENtestTOKENtestTOKEN0',
  channel_b_bot_token: 'xoxb-secret-token-of-slack',
  channel_c_bot_token: 'secret-token-of-discord',
  channel_d_bridge_url: 'http://127.0.0.1:8080/bridge',
  channel_d_bridge_secret: 'secret-of-the-bridge',
} satisfies Settings
const secrets = Object.entries(settings).flatMap(([key, value]) => (key.includes('url') ? [] : [value]))
const create = {
  telegram: createTelegramChannel,
  slack: createSlackChannel,
  discord: createDiscordChannel,
  bridge: createBridgeChannel,
}
const content = Uint8Array.of(1, 2, 3)
const picture: OutboundFile = { name: 'a.png', mediaType: 'image/png', content }
const options = { signal: new AbortController().signal, index: 1, idempotencyKey: 'm1:1' }

interface Call {
  readonly url: string
  readonly authorization: string | null
  readonly fields: Record<string, unknown>
}

async function toCall(request: Request): Promise<Call> {
  const { url, headers } = request
  const type = headers.get('content-type') ?? ''
  const fields: Record<string, unknown> = {}
  if (type.includes('json')) Object.assign(fields, await request.json())
  else if (type.includes('form'))
    for (const [key, value] of await request.formData())
      fields[key] =
        typeof value === 'string'
          ? value
          : [value.name, value.type, new Uint8Array(await value.arrayBuffer())]
  else fields['bytes'] = new Uint8Array(await request.arrayBuffer())
  return { url, authorization: headers.get('authorization'), fields }
}

/** A channel whose platform answers by a function. */
function open(platform: keyof typeof create, answer: (url: string) => Response, changes: Settings = {}) {
  const calls: Call[] = []
  const fetch: typeof globalThis.fetch = async (input, init) => {
    calls.push(await toCall(new Request(input, init)))
    return answer(calls.at(-1)?.url ?? '')
  }
  const channel = create[platform]({ ...settings, ...changes }, channelContext({ fetch }))
  const send = (data: Record<string, string | number>, file = picture, expiresAtMs = 0) =>
    channel.sendFile!({ data, expiresAtMs }, file, options)
  return { send, calls }
}

const ok = (result: object) => () => Response.json(result)

describe('A1: files that go out', () => {
  it.each([
    ['Photo', picture],
    ['Audio', { ...picture, name: 'a.mp3', mediaType: 'audio/mpeg' }],
    ['Document', { ...picture, name: 'a.pdf', mediaType: 'application/pdf' }],
    ['Document', { ...picture, content: new Uint8Array(10 * 1024 * 1024 + 1) }],
  ])('to Telegram by send%s', async (kind, file) => {
    const { send, calls } = open('telegram', ok({ ok: true, result: { message_id: 7 } }))
    expect(await send({ chat_id: 5, message_thread_id: 6 }, file)).toEqual({ id: '7' })
    expect(calls).toHaveLength(1)
    expect(calls[0]?.url).toMatch(new RegExp(`/send${kind}$`))
    const sent = calls[0]?.fields[kind.toLowerCase()]
    const [name, type, bytes] = sent as [string, string, Uint8Array]
    expect([name, type, bytes.length]).toEqual([file.name, file.mediaType, file.content.length])
    expect(calls[0]?.fields).toMatchObject({ chat_id: '5', message_thread_id: '6' })
  })

  it('to Telegram as a document if it refuses the picture', async () => {
    const refusal = { ok: false, error_code: 400, description: 'Bad Request: PHOTO_INVALID_DIMENSIONS' }
    const { send, calls } = open('telegram', (url) =>
      url.endsWith('Photo')
        ? Response.json(refusal, { status: 400 })
        : Response.json({ ok: true, result: { message_id: 8 } }),
    )
    expect(await send({ chat_id: 5 })).toEqual({ id: '8' })
    expect(calls.map(({ url }) => url.split('/').at(-1))).toEqual(['sendPhoto', 'sendDocument'])
  })

  it('to Slack in three calls, the bytes without the token', async () => {
    const upload = 'https://files.slack.com/upload/v1/ABC'
    const { send, calls } = open('slack', (url) =>
      url === upload ? new Response('OK') : Response.json({ ok: true, upload_url: upload, file_id: 'F1' }),
    )
    expect(await send({ channel: 'C1', thread_ts: '1.2' })).toEqual({ id: 'F1' })
    const authorization = `Bearer ${settings.channel_b_bot_token}`
    expect(calls).toEqual([
      {
        url: 'https://slack.com/api/files.getUploadURLExternal',
        authorization,
        fields: { filename: 'a.png', length: '3' },
      },
      { url: upload, authorization: null, fields: { bytes: content } },
      {
        url: 'https://slack.com/api/files.completeUploadExternal',
        authorization,
        fields: { channel_id: 'C1', thread_ts: '1.2', files: [{ id: 'F1', title: 'a.png' }] },
      },
    ])
  })

  it.each([
    ['an address of another host', 'https://other.test/upload', 200, 'permanent', 1],
    ['an upload that fails', 'https://files.slack.com/upload', 500, 'temporary', 2],
    ['a missing scope', '', 200, 'auth', 1],
  ])('to Slack, and nothing is shared after %s', async (_, upload, status, code, count) => {
    const { send, calls } = open('slack', (url) => {
      if (url === upload) return new Response('no', { status })
      if (upload === '') return Response.json({ ok: false, error: 'missing_scope', needed: 'files:write' })
      return Response.json({ ok: true, upload_url: upload, file_id: 'F1' })
    })
    const failure = await failureOf(send({ channel: 'C1' }), secrets)
    expect(failure.code).toBe(code)
    expect(calls).toHaveLength(count)
  })

  const place = { application_id: '1', token: 'tok', channel_id: '9' }
  it.each([
    ['an interaction', Infinity, 'https://discord.com/api/v10/webhooks/1/tok', {}],
    ['a channel', 0, 'https://discord.com/api/v10/channels/9/messages', { enforce_nonce: true }],
  ])('to Discord as a follow-up in %s', async (_, expiresAtMs, url, more) => {
    const { send, calls } = open('discord', ok({ id: '77' }))
    expect(await send(place, picture, expiresAtMs)).toEqual({ id: '77' })
    const [call] = calls
    const key = expiresAtMs === 0 ? `Bot ${settings.channel_c_bot_token}` : null
    expect([call?.url, call?.authorization]).toEqual([url, key])
    expect(call?.fields['files[0]']).toEqual(['a.png', 'image/png', content])
    const message: unknown = JSON.parse(String(call?.fields['payload_json']))
    expect(message).toMatchObject({ allowed_mentions: { parse: [] }, ...more })
  })

  const along = [{ name: 'a.png', media_type: 'image/png', data: 'AQID' }]
  it.each([
    ['a bridge of your own', 'http://127.0.0.1:8080/bridge', { files: along }],
    [
      'signal-cli-rest-api',
      'http://127.0.0.1:8080/v2',
      { base64_attachments: ['data:image/png;filename=a.png;base64,AQID'] },
    ],
  ])('to %s', async (_, base, more) => {
    const { send, calls } = open('bridge', ok({ id: 'b1' }), { channel_d_bridge_url: base })
    expect(await send({ conversation_id: 'c', to: 'c' })).toEqual({ id: 'b1' })
    const fields = { conversation_id: 'c', to: 'c', recipients: ['c'], text: '', message: '', ...more }
    const authorization = `Bearer ${settings.channel_d_bridge_secret}`
    expect(calls).toEqual([{ url: `${base}/send`, authorization, fields }])
  })
})
