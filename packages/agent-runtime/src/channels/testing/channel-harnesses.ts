import type { ChannelHarness } from '../../testing/channels/channel-harness.ts'
import { createBridgeChannel } from '../bridge/create-bridge-channel.ts'
import type { ChannelRequest } from '../../ports/channel.ts'
import { createDiscordChannel } from '../discord/create-discord-channel.ts'
import { createSlackChannel } from '../slack/create-slack-channel.ts'
import { createTelegramChannel } from '../telegram/create-telegram-channel.ts'
import { createViberChannel } from '../viber/create-viber-channel.ts'
import { channelContext, fixture, fixtureText, webhookRequest } from './platform-kit.ts'
import { channelSecrets, discordPublicKey, proofs } from './platform-proofs.ts'

function requestOf(body: Uint8Array, headers: Record<string, string>): ChannelRequest {
  return { ...webhookRequest('', headers), body }
}

/** All headers of a proof broken in one way each, and none of them. */
function broken(body: Uint8Array, headers: Record<string, string>, others: Record<string, string>) {
  return [{}, others, ...Object.keys(headers).map((name) => ({ ...headers, [name]: '' }))].map((forged) =>
    requestOf(body, forged),
  )
}

const otherBody = new TextEncoder().encode('{"other":true}')
const json = (content: object, init?: ResponseInit) => Response.json(content, init)
const pathOf = (request: Request) => new URL(request.url).pathname

const telegram: ChannelHarness = {
  create: (fetch) =>
    createTelegramChannel({ channel_a_bot_token: channelSecrets.telegram }, channelContext({ fetch })),
  messageBody({ id, text }) {
    const update = fixture('telegram-message-private.json') as { message: object }
    return JSON.stringify({
      ...update,
      update_id: 900_000_000 + id,
      message: { ...update.message, message_id: id, text },
    })
  },
  prove: async (body) => requestOf(body, await proofs.telegram()),
  forge: (body) =>
    broken(body, { 'x-telegram-bot-api-secret-token': '' }, { 'x-telegram-bot-api-secret-token': 'guess' }),
  accept(request, id) {
    const answers: Record<string, unknown> = {
      getMe: fixture('telegram-api-getMe.json'),
      getWebhookInfo: { ok: true, result: { url: '', pending_update_count: 0 } },
      sendMessage: { ok: true, result: { message_id: Number(id) } },
      setWebhook: { ok: true, result: true },
    }
    const found = answers[pathOf(request).split('/').at(-1) ?? '']
    return found ? json(found) : json({ ok: false }, { status: 404 })
  },
  refusals: {
    auth: () => json(fixture('telegram-error-401.json'), { status: 401 }),
    format: () => json(fixture('telegram-error-400-entities.json'), { status: 400 }),
    gone: () => json(fixture('telegram-error-403-blocked.json'), { status: 403 }),
    rate_limited: () => json(fixture('telegram-error-429.json'), { status: 429 }),
  },
  secrets: [channelSecrets.telegram, 'AAHq3v-testTOKENtestTOKENtestTOKEN0'],
}

const slack: ChannelHarness = {
  create: (fetch) =>
    createSlackChannel(
      {
        channel_b_bot_token: channelSecrets.slack,
        channel_b_signing_secret: channelSecrets.slackSigning,
      },
      channelContext({ fetch }),
    ),
  messageBody({ id, text }) {
    const envelope = fixture('slack-message-im.json') as { event: object }
    const { blocks: _, ...event } = envelope.event as { blocks?: unknown }
    const ts = `1767225600.${String(id).padStart(6, '0')}`
    const own = { text, ts, event_ts: ts, client_msg_id: `66cc9473-12a2-4934-bd57-${ts}` }
    return JSON.stringify({ ...envelope, event_id: `Ev${id}`, event: { ...event, ...own } })
  },
  prove: (body) => requestOf(body, proofs.slack(body)),
  forge: (body) => [
    ...broken(body, proofs.slack(body), proofs.slack(otherBody)),
    requestOf(body, proofs.slack(body, 'guess')),
  ],
  accept(request, id) {
    const method = pathOf(request).split('/').at(-1)
    if (method === 'auth.test') return json(fixture('slack-api-auth-test.json'))
    return json({ ...fixture('slack-api-chat-postMessage.json'), ts: id })
  },
  refusals: {
    auth: () => json(fixture('slack-error-invalid-auth.json')),
    gone: () => json(fixture('slack-error-channel-not-found.json')),
    too_long: () => json(fixture('slack-error-msg-too-long.json')),
    rate_limited: () =>
      json(fixture('slack-error-429.json'), { status: 429, headers: { 'retry-after': '2' } }),
  },
  secrets: [channelSecrets.slack, channelSecrets.slackSigning],
}

const discord: ChannelHarness = {
  create: (fetch) =>
    createDiscordChannel(
      { channel_c_bot_token: channelSecrets.discord, channel_c_public_key: discordPublicKey },
      channelContext({ fetch }),
    ),
  messageBody({ id, text }) {
    const command = fixture('discord-command-dm.json')
    const own = { id: `${1_456_074_443_980_800_000n + BigInt(id)}`, token: 'tok-dm-interaction' }
    const options = [{ name: 'text', type: 3, value: text }]
    return JSON.stringify({ ...command, ...own, data: { ...(command.data as object), options } })
  },
  prove: (body) => requestOf(body, proofs.discord(body)),
  forge: (body) => broken(body, proofs.discord(body), proofs.discord(otherBody)),
  accept(request, id) {
    const path = pathOf(request)
    if (path.endsWith('/applications/@me')) {
      return json({ ...fixture('discord-api-application-me.json'), verify_key: discordPublicKey })
    }
    if (path.endsWith('/commands'))
      return request.method === 'GET' ? json([{ name: 'ask', type: 1 }]) : json({ id })
    return json({ ...fixture('discord-api-original-message.json'), id })
  },
  refusals: {
    rate_limited: () =>
      json(fixture('discord-error-429.json'), { status: 429, headers: { 'retry-after': '2' } }),
    too_long: () => json(fixture('discord-error-50035.json'), { status: 400 }),
  },
  secrets: [channelSecrets.discord],
}

const bridge: ChannelHarness = {
  create: (fetch) =>
    createBridgeChannel(
      { channel_d_bridge_url: 'http://127.0.0.1:8080', channel_d_bridge_secret: channelSecrets.bridge },
      channelContext({ fetch }),
    ),
  messageBody: ({ id, text }) =>
    JSON.stringify({ ...fixture('bridge-generic-message.json'), id: `m-${id}`, text }),
  prove: (body) => requestOf(body, proofs.bridge(body)),
  forge: (body) => [
    ...broken(body, proofs.bridge(body), proofs.bridge(otherBody)),
    requestOf(body, proofs.bridge(body, 'guess')),
    requestOf(body, { authorization: 'Bearer guess' }),
    { ...requestOf(body, {}), search: 'token=guess' },
  ],
  accept: (_, id) => json({ ok: true, id }),
  refusals: {
    auth: () => json({}, { status: 401 }),
    permanent: () => json(fixture('bridge-signal-send-429.json'), { status: 429 }),
    rate_limited: () => json({}, { status: 429, headers: { 'retry-after': '2' } }),
  },
  secrets: [channelSecrets.bridge],
}

/** The same bridge, before which signal-cli-rest-api stands. */
const signal: ChannelHarness = {
  ...bridge,
  messageBody({ id, text }) {
    const line = fixture('bridge-signal-message-dm.json') as { params: { envelope: object } }
    const dataMessage = { timestamp: 1_767_225_600_000 + id, message: text }
    return JSON.stringify({
      ...line,
      params: { ...line.params, envelope: { ...line.params.envelope, dataMessage } },
    })
  },
}

/** The same bridge, before which go-whatsapp-web-multidevice stands. */
const whatsapp: ChannelHarness = {
  ...bridge,
  messageBody({ id, text }) {
    const event = fixture('bridge-whatsapp-gowa-message.json') as { payload: object }
    return JSON.stringify({ ...event, payload: { ...event.payload, id: `3EB0${id}`, body: text } })
  },
}

const viber: ChannelHarness = {
  create: (fetch) =>
    createViberChannel({ channel_e_auth_token: channelSecrets.viber }, channelContext({ fetch })),
  messageBody: ({ id, text }) =>
    fixtureText('viber-message-text.json')
      .replace(/"message_token":\s*\d+/, `"message_token": ${5_912_661_846_655_238_145n + BigInt(id)}`)
      .replace(/"text":\s*"[^"]*",/, `"text": ${JSON.stringify(text)},`),
  prove: (body) => requestOf(body, proofs.viber(body)),
  forge: (body) => [
    ...broken(body, proofs.viber(body), proofs.viber(otherBody)),
    requestOf(body, proofs.viber(body, 'guess')),
    { ...requestOf(body, {}), search: `sig=${proofs.viber(body)['x-viber-content-signature']}` },
  ],
  accept(request, id) {
    if (pathOf(request).endsWith('get_account_info')) {
      const webhook = 'https://example.test/api/channels/channel_e/webhook'
      return json({ status: 0, status_message: 'ok', name: 'Test bot', webhook })
    }
    return json({ status: 0, status_message: 'ok', message_token: Number(id) })
  },
  refusals: {
    auth: () => json(fixture('viber-error-2.json')),
    gone: () => json(fixture('viber-error-6.json')),
  },
  secrets: [channelSecrets.viber],
}

/** The five channels, the bridge in each of its shapes, each with one who speaks for its platform. */
export const channelHarnesses: Readonly<Record<string, ChannelHarness>> = {
  telegram,
  slack,
  discord,
  bridge,
  'bridge to Signal': signal,
  'bridge to WhatsApp': whatsapp,
  viber,
}
