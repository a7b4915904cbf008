import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { ChannelHarness } from '../testing/channels/channel-harness.ts'
import { fakePlatform, takenMessage } from '../testing/channels/channel-harness.ts'
import { createBridgeChannel } from './bridge/create-bridge-channel.ts'
import type { Channel, ChannelErrorCode, InboundMessage, ReceivedRequest } from '../ports/channel.ts'
import { createDiscordChannel } from './discord/create-discord-channel.ts'
import { createSlackChannel } from './slack/create-slack-channel.ts'
import { createTelegramChannel } from './telegram/create-telegram-channel.ts'
import { telegramSecret } from './telegram/verify-telegram.ts'
import { channelHarnesses } from './testing/channel-harnesses.ts'
import { channelContext, fixture, fixtureText, vectorsOf, webhookRequest } from './testing/platform-kit.ts'
import type { SignatureVector } from './testing/platform-kit.ts'
import { createViberChannel } from './viber/create-viber-channel.ts'

const platforms = Object.keys(channelHarnesses)
const index = fixture('index.json') as unknown as {
  file: string
  direction: 'in' | 'api' | 'out'
  http_status?: number
  headers?: Record<string, string>
}[]

function harnessOf(file: string): ChannelHarness {
  const harness = channelHarnesses[file.split('-', 1)[0] ?? '']
  return harness ?? expect.unreachable(`${file} is of no platform`)
}

/** What a channel makes of the bytes of a fixture, with the platform's proof. */
async function receive(file: string): Promise<ReceivedRequest> {
  const harness = harnessOf(file)
  const platform = fakePlatform((request) => harness.accept(request, '1'))
  const body = new TextEncoder().encode(fixtureText(file))
  return harness.create(platform.fetch).receive(await harness.prove(body))
}

describe('signatures', () => {
  const channels: Record<string, (vector: SignatureVector) => Channel> = {
    telegram: ({ bot_token: token = '' }) =>
      createTelegramChannel({ channel_a_bot_token: token }, channelContext()),
    slack: ({ secret, now = 0 }) =>
      createSlackChannel({ channel_b_signing_secret: secret }, channelContext({ now: () => now * 1000 })),
    discord: ({ public_key: key = '', now = 0 }) =>
      createDiscordChannel({ channel_c_public_key: key }, channelContext({ now: () => now * 1000 })),
    bridge: ({ secret }) => createBridgeChannel({ channel_d_bridge_secret: secret }, channelContext()),
    viber: ({ secret }) => createViberChannel({ channel_e_auth_token: secret }, channelContext()),
  }
  const vectors = platforms.flatMap((platform) => vectorsOf(platform).map((vector) => ({ platform, vector })))

  for (const { platform, vector } of vectors) {
    it(`${vector.valid ? 'believes' : 'refuses'} ${vector.id}`, async () => {
      const channel = channels[platform]?.(vector)
      const received = await channel?.receive(webhookRequest(vector.body, vector.headers))
      if (vector.valid) expect(received?.reply.status).toBeLessThan(401)
      else expect(received).toMatchObject({ kind: 'reply', reply: { status: 401 } })
    })
  }

  it('are all tried', () => {
    const { vectors: all } = fixture('vectors.json') as unknown as { vectors: unknown[] }
    expect(vectors).toHaveLength(all.length)
    expect(vectors.length).toBeGreaterThan(30)
  })

  it('of Telegram have the secret that is derived from the token', async () => {
    for (const { bot_token: token, secret } of vectorsOf('telegram')) {
      if (token) expect(await telegramSecret(token)).toBe(secret)
    }
  })
})

describe('what comes in', () => {
  /** Messages for the agent. */
  const runs: Record<string, Partial<InboundMessage>> = {
    'telegram-message-private.json': { conversationId: 'channel_a:100000001', text: 'hello agent' },
    'telegram-message-start-command.json': {},
    'telegram-message-group-mention.json': {},
    'telegram-message-group-reply-to-bot.json': {},
    'telegram-message-photo-caption.json': {
      files: [{ kind: 'picture', reference: { file_id: 'FILEID_BIG' } }],
    },
    'slack-message-im.json': {
      conversationId: 'channel_b:T0TEAM0001:D0DM000001',
      text: 'hello <agent> & co',
    },
    'slack-message-channel-mention.json': {},
    'slack-app-mention.json': {},
    'slack-message-file-share.json': { files: [{ kind: 'document', name: 'a.txt' }] },
    'viber-message-picture.json': { text: '', files: [{ kind: 'picture' }] },
    'discord-command-guild.json': {},
    'discord-command-dm.json': { text: 'hello' },
    'discord-command-thread.json': {},
    'discord-message-command.json': {},
    'viber-message-text.json': { conversationId: 'channel_e:dGVzdC11c2VyLTE=', text: 'hello agent' },
    'bridge-signal-message-dm.json': { conversationId: 'channel_d:+15550101', text: 'hello agent' },
    'bridge-signal-message-group-mention.json': { text: 'status?' },
    'bridge-whatsapp-gowa-message.json': { text: 'hello agent' },
    'bridge-generic-message.json': { conversationId: 'channel_d:signal:+15550101' },
    'bridge-generic-minimal.json': { conversationId: 'channel_d:+15550101', text: 'hi' },
  }
  /** Messages that are for somebody else, whatever a channel makes of them. */
  const notMeant = [
    'telegram-message-group-plain.json',
    'telegram-message-from-bot.json',
    'telegram-edited-message.json',
    'telegram-service-new-member.json',
    'slack-message-channel-plain.json',
    'slack-message-own-bot.json',
    'slack-message-other-bot.json',
    'slack-message-changed.json',
    'slack-message-deleted.json',
    'slack-app-rate-limited.json',
    'viber-subscribed.json',
    'viber-unsubscribed.json',
    'viber-delivered.json',
    'viber-seen.json',
    'viber-failed.json',
    'bridge-signal-message-group-plain.json',
    'bridge-signal-typing.json',
    'bridge-signal-receipt.json',
    'bridge-signal-reaction.json',
    'bridge-whatsapp-gowa-from-me.json',
  ]
  /** Questions of the platforms themselves. */
  const handshakes: Record<string, { status: number; contentType?: unknown; body?: unknown }> = {
    'slack-url-verification.json': {
      status: 200,
      contentType: 'text/plain',
      body: fixture('slack-url-verification.json').challenge,
    },
    'discord-ping.json': { status: 200, contentType: 'application/json', body: '{"type":1}' },
    'discord-component.json': { status: 200, contentType: 'application/json', body: '{"type":6}' },
    'viber-webhook.json': { status: 200 },
    'viber-conversation-started.json': {
      status: 200,
      contentType: 'application/json',
      body: expect.stringMatching(/"type":"text"/),
    },
  }
  const acknowledged: Record<string, object> = {
    discord: { status: 200, contentType: 'application/json', body: '{"type":5}' },
    bridge: { status: 200, contentType: 'application/json', body: '{"ok":true}' },
  }

  for (const [file, expected] of Object.entries(runs)) {
    it(`a run: ${file}`, async () => {
      const received = await receive(file)
      const message = received.kind === 'message' ? received.message : expect.unreachable(received.why)
      expect(message).toMatchObject({ isAddressed: true, ...expected })
      expect(message.text.trim() || message.files).toBeTruthy()
      expect(received.reply).toEqual(acknowledged[file.split('-', 1)[0] ?? ''] ?? { status: 200 })
    })
  }
  for (const file of notMeant) {
    it(`no run: ${file}`, async () => {
      const received = await receive(file)
      expect(received.reply.status).toBe(200)
      if (received.kind === 'message') expect(received.message.isAddressed).toBe(false)
    })
  }
  for (const [file, reply] of Object.entries(handshakes)) {
    it(`an answer: ${file}`, async () => {
      const received = await receive(file)
      expect(received.kind).toBe('reply')
      expect(received.reply).toEqual(reply)
    })
  }

  /** Ids of the groups in which messages were written; the others came in a private chat. */
  const groups: Record<string, string> = {
    'telegram-message-group-mention.json': '-1001234567890',
    'telegram-message-group-reply-to-bot.json': '-1001234567890',
    'slack-message-channel-mention.json': 'C0CHAN0001',
    'slack-app-mention.json': 'C0CHAN0001',
    'discord-command-guild.json': '1000000000000000010',
    'discord-command-thread.json': '1000000000000000010',
    'discord-message-command.json': '1000000000000000010',
    'bridge-signal-message-group-mention.json': 'Pmpi+EfPWmsxiomLe9Nx2XF9HOE483p6iKiFj65iMwI=',
  }
  for (const file of Object.keys(runs)) {
    it(`a private chat or a group: ${file}`, async () => {
      const received = await receive(file)
      const message = received.kind === 'message' ? received.message : expect.unreachable(received.why)
      expect(message.group?.id).toBe(groups[file])
    })
  }

  it('one run for the two deliveries of one mention on Slack, in either order', async () => {
    const files = ['slack-message-channel-mention.json', 'slack-app-mention.json']
    const [one, other] = await Promise.all(
      files.map(async (file) => {
        const received = await receive(file)
        return received.kind === 'message' ? received.message : expect.unreachable(received.why)
      }),
    )
    expect(one?.dedupeKeys.some((key) => other?.dedupeKeys.includes(key))).toBe(true)
    expect(one?.conversationId).toBe(other?.conversationId)
  })

  it('two runs for two messages on Viber whose tokens are alike when rounded', async () => {
    const harness = harnessOf('viber-message-text.json')
    const channel = harness.create(fakePlatform((request) => harness.accept(request, '1')).fetch)
    const keys = await Promise.all(
      [1, 2].map(
        async (id) =>
          (await takenMessage(harness, channel, harness.messageBody({ id, text: 'hi' }))).dedupeKeys,
      ),
    )
    expect(keys[0]).not.toEqual(keys[1])
    expect(keys[0]?.join()).toContain('5912661846655238146')
  })
})

describe('what platforms answer', () => {
  /** By what sending makes of it: the id, or why it failed. */
  const sends: Record<string, { id: string } | { code: ChannelErrorCode; retryAfterMs?: number }> = {
    'telegram-api-sendMessage.json': { id: '500' },
    'telegram-error-429.json': { code: 'rate_limited', retryAfterMs: 3000 },
    'telegram-error-400-entities.json': { code: 'format' },
    'telegram-error-403-blocked.json': { code: 'gone' },
    'telegram-error-401.json': { code: 'auth' },
    'slack-api-chat-postMessage.json': { id: '1767225601.000400' },
    'slack-error-429.json': { code: 'rate_limited', retryAfterMs: 2000 },
    'slack-error-invalid-auth.json': { code: 'auth' },
    'slack-error-channel-not-found.json': { code: 'gone' },
    'slack-error-not-in-channel.json': { code: 'gone' },
    'slack-error-msg-too-long.json': { code: 'too_long' },
    'slack-error-msg-blocks-too-long.json': { code: 'too_long' },
    'discord-api-original-message.json': { id: '1456074443980900000' },
    'discord-error-429.json': { code: 'rate_limited', retryAfterMs: 1250 },
    'discord-error-50035.json': { code: 'too_long' },
    'viber-api-send-message.json': { id: '5741311803571721087' },
    'viber-error-12-too-many.json': { code: 'rate_limited' },
    'viber-error-2.json': { code: 'auth' },
    'viber-error-6.json': { code: 'gone' },
    'viber-error-10.json': { code: 'permanent' },
    'bridge-send-response.json': { id: 'out-1' },
    'bridge-signal-send-response.json': { id: '1767225601000' },
    'bridge-signal-send-429.json': { code: 'permanent' },
  }

  for (const [file, expected] of Object.entries(sends)) {
    it(`to a send: ${file}`, async () => {
      const entry = index.find((found) => found.file === file)
      const headers = { 'content-type': 'application/json', ...entry?.headers }
      const answer = () => new Response(fixtureText(file), { status: entry?.http_status ?? 200, headers })
      const harness = harnessOf(file)
      const channel = harness.create(fakePlatform(answer).fetch)
      const { target } = await takenMessage(harness, channel, harness.messageBody({ id: 1, text: 'hi' }))
      const [part] = channel.render('It is sunny.')
      const options = { signal: new AbortController().signal, index: 0, idempotencyKey: 'm1:0' }
      const sent = channel.send(target, part ?? expect.unreachable('no part'), options)
      if ('code' in expected) await expect(sent).rejects.toMatchObject(expected)
      else expect(await sent).toEqual(expected)
    })
  }
})

it('tries every fixture, here or where its platform is', () => {
  const folder = new URL('.', import.meta.url)
  const tests = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.ts'))
    .map((file) => readFileSync(new URL(file, folder), 'utf8'))
  const untried = index
    .map(({ file }) => file)
    .filter((file) => !tests.some((source) => source.includes(file)))
  expect(untried).toEqual([])
  const files = readdirSync(new URL('testing/fixtures/', folder))
  expect(files.toSorted()).toEqual(
    [...index.map(({ file }) => file), 'index.json', 'vectors.json'].toSorted(),
  )
})
