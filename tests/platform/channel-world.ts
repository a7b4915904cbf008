import { createHmac, generateKeyPairSync, sign } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text as readText } from 'node:stream/consumers'
import { createFileWorld } from './channel-file-world.ts'

/** Platforms by the documented names of their channels. */
export const channels = ['channel_a', 'channel_b', 'channel_c', 'channel_d', 'channel_e'] as const
export type ChannelName = (typeof channels)[number]

/** A webhook call as a platform makes it. */
export interface WebhookCall {
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
}

/** All five platforms and a model, on loopback. */
export interface ChannelWorld extends AsyncDisposable {
  /** Variables that lead the reference server to the model. */
  readonly environment: Readonly<Record<string, string>>
  /** Settings that lead it to the platforms. */
  readonly settings: Readonly<Record<string, string>>
  /** What has arrived at a platform, in its order. */
  answersAt(channel: ChannelName): readonly string[]
  /** The requests behind {@link answersAt}. */
  sentTo(channel: ChannelName): readonly Record<string, unknown>[]
  /** A press of a button in the chat of {@link webhook}, signed as the platform does. Viber sends it as a message. */
  press(
    channel: 'channel_a' | 'channel_b' | 'channel_c',
    number: number,
    command: string,
  ): Promise<WebhookCall>
  /** Calls of a platform's interface, such as `setWebhook`. */
  readonly calls: readonly string[]
  /**
   * A message in a private chat, signed as the platform does; `number` tells messages apart.
   *
   * @param sender Who writes it. @default the one of `senders`
   * @param edit Changes the platform's example of a message before it is signed.
   */
  webhook(
    channel: ChannelName,
    number: number,
    text: string,
    sender?: string,
    edit?: (body: string) => string,
  ): Promise<WebhookCall>
  /** Edits for {@link webhook} that add a picture to a message, by its bytes. */
  withPicture(channel: ChannelName, bytes: Buffer): (body: string) => string
  /** Files that arrived at the platforms. */
  readonly uploads: readonly { readonly channel: ChannelName; readonly bytes: Buffer }[]
  /** Paths of files that were asked for, with the credentials that came along. */
  readonly downloads: readonly { readonly path: string; readonly authorization: string | undefined }[]
  /** Lets Telegram have a message for who asks for it. */
  offer(updateId: number, text: string): void
  /** Everything that a model was asked. */
  prompts(): string
  /** Holds what is sent to people back until the given function is called. */
  holdPlatforms(): () => void
  /** Holds the model's answers back until the given function is called. */
  holdModel(): () => void
}

/** Who writes at each platform, by the platform's id. */
export const senders: Readonly<Record<ChannelName, string>> = {
  channel_a: '100000001',
  channel_b: 'U0USER0001',
  channel_c: '1000000000000000040',
  channel_d: '+15550101',
  channel_e: 'dGVzdC11c2VyLTE=',
}

const secrets = {
  telegram: '200000002:AAtelegram-test-token',
  slack: 'slack-signing-secret',
  viber: 'viber-auth-token',
}
const fixtures = new URL('../../packages/agent-runtime/src/channels/testing/fixtures/', import.meta.url)
const fixture = async (name: string) => readFile(new URL(name, fixtures), 'utf8')
const hmac = (key: string, content: string, encoding: 'hex' | 'base64url') =>
  createHmac('sha256', key).update(content).digest(encoding)

export async function startChannelWorld(): Promise<ChannelWorld> {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const rawKey = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('hex')
  const answers = new Map<string, string[]>(channels.map((channel) => [channel, []]))
  const bodies = new Map<string, Record<string, unknown>[]>(channels.map((channel) => [channel, []]))
  const calls: string[] = []
  const files = createFileWorld()
  const updates: { update_id: number; message: object }[] = []
  let webhookUrl = ''
  let model: Promise<void> = Promise.resolve()
  let platforms: Promise<void> = Promise.resolve()
  let prompts = ''

  /** Takes what is sent to a person. */
  function take(path: string, body: Record<string, unknown>): object | undefined {
    const keep = (channel: ChannelName, text: unknown) => {
      answers.get(channel)?.push(String(text))
      bodies.get(channel)?.push(body)
    }
    if (path.endsWith('/files.getUploadURLExternal'))
      return { ok: true, upload_url: `${base}/uploaded`, file_id: 'F1' }
    if (path.endsWith('/bridge/send') && files.takeFromBridge(body)) return { id: 'b-2' }
    if (path.endsWith('/sendMessage') || path.endsWith('/editMessageText')) {
      keep('channel_a', body['text'])
      return { ok: true, result: { message_id: 1, date: 1, chat: { id: 1, type: 'private' } } }
    }
    if (path.endsWith('/chat.postMessage') || path.endsWith('/chat.update')) {
      keep('channel_b', body['text'])
      return { ok: true, channel: 'D0DM000001', ts: '1767225601.000100' }
    }
    if (path.includes('/webhooks/') || /\/channels\/\d+\/messages$/.test(path)) {
      keep('channel_c', body['content'])
      return { id: '1', channel_id: '1' }
    }
    if (path.endsWith('/bridge/send')) {
      keep('channel_d', body['message'])
      return { id: 'b-1' }
    }
    if (path.endsWith('/send_message')) {
      keep('channel_e', body['text'])
      return { status: 0, status_message: 'ok', message_token: 5912661846655 }
    }
    return undefined
  }

  async function telegram(method: string, body: Record<string, unknown>): Promise<object> {
    if (method === 'setWebhook') webhookUrl = String(body['url'])
    if (method === 'getWebhookInfo') {
      return { url: webhookUrl, has_custom_certificate: false, pending_update_count: 0 }
    }
    if (method === 'getMe')
      return { id: 200000002, is_bot: true, first_name: 'Bot', username: 'homeward_bot' }
    if (method === 'getFile')
      return { file_id: body['file_id'], file_path: `photos/${String(body['file_id'])}` }
    if (method !== 'getUpdates') return {}
    const offset = Number(body['offset'] ?? 0)
    const found = updates.filter(({ update_id }) => update_id >= offset)
    if (found.length === 0) await new Promise((resolve) => setTimeout(resolve, 200))
    return found
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost')
    if (await files.answer(pathname, request, response)) return
    const given = await readText(request)
    const body = given.startsWith('{') ? (JSON.parse(given) as Record<string, unknown>) : {}
    if (pathname.startsWith('/v1/')) {
      prompts += given
      await model
      return answerAsModel(body as unknown as ChatRequest, response)
    }
    const call = pathname.split('/').at(-1) ?? ''
    calls.push(call)
    if (call !== 'getUpdates') await platforms
    const taken = take(pathname, body)
    const bot = /\/bot[^/]+\/(\w+)$/.exec(pathname)?.[1]
    const reply =
      taken ??
      (bot === undefined
        ? { ok: true, status: 0, status_message: 'ok', name: 'bot' }
        : { ok: true, result: await telegram(bot, body) })
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(reply))
  }

  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  const world: ChannelWorld = {
    environment: { OPENAI_API_KEY: 'sk-channels', OPENAI_BASE_URL: `${base}/v1` },
    settings: {
      channel_a_bot_token: secrets.telegram,
      channel_b_bot_token: 'xoxb-test-token',
      channel_b_signing_secret: secrets.slack,
      channel_c_bot_token: 'discord-test-token',
      channel_c_public_key: rawKey,
      channel_d_bridge_url: `${base}/bridge`,
      channel_e_auth_token: secrets.viber,
      ...Object.fromEntries(
        channels.flatMap((channel) => [
          [`${channel}_default_agent_id`, 'helper'],
          ...(channel === 'channel_d' ? [] : [[`${channel}_api_base`, base]]),
        ]),
      ),
    },
    calls,
    downloads: files.downloads,
    uploads: files.uploads,
    withPicture: (channel, bytes) => files.withPicture(base, channel, bytes),
    answersAt: (channel) => answers.get(channel) ?? [],
    sentTo: (channel) => bodies.get(channel) ?? [],
    async press(channel, number, command) {
      if (channel === 'channel_a') {
        const { body, headers } = await world.webhook(channel, number, 'x')
        const { update_id, message } = JSON.parse(body) as { update_id: number; message: { from: object } }
        const press = { id: `press-${number}`, from: message.from, message, data: command }
        return { body: JSON.stringify({ update_id, callback_query: press }), headers }
      }
      const seconds = Math.floor(Date.now() / 1000).toString()
      if (channel === 'channel_b') {
        const payload = {
          type: 'block_actions',
          user: { id: senders.channel_b, name: 'ann' },
          team: { id: (JSON.parse(await fixture('slack-message-im.json')) as { team_id: string }).team_id },
          channel: { id: `D${senders.channel_b}` },
          message: { ts: '1767225601.000100' },
          actions: [{ action_id: 'homeward_0', action_ts: `1767225602.${number}`, value: command }],
        }
        const body = new URLSearchParams({ payload: JSON.stringify(payload) }).toString()
        const signature = `v0=${hmac(secrets.slack, `v0:${seconds}:${body}`, 'hex')}`
        const type = { 'content-type': 'application/x-www-form-urlencoded' }
        return {
          body,
          headers: { ...type, 'x-slack-request-timestamp': seconds, 'x-slack-signature': signature },
        }
      }
      const { body: asked } = await world.webhook(channel, number, 'x')
      const { data: _, ...interaction } = JSON.parse(asked) as { data: object }
      const body = JSON.stringify({
        ...interaction,
        type: 3,
        data: { custom_id: command, component_type: 2 },
      })
      const signature = sign(null, Buffer.from(seconds + body), privateKey).toString('hex')
      const signed = { 'x-signature-ed25519': signature, 'x-signature-timestamp': seconds }
      return { body, headers: { 'content-type': 'application/json', ...signed } }
    },
    offer(updateId, text) {
      const from = { id: 100000001, is_bot: false, first_name: 'Ann' }
      const chat = { id: 100000001, type: 'private', first_name: 'Ann' }
      const message = { message_id: updateId, from, chat, date: 1767225600, text }
      updates.push({ update_id: updateId, message })
    },
    prompts: () => prompts,
    holdPlatforms() {
      const { promise, resolve } = Promise.withResolvers<void>()
      platforms = promise
      return resolve
    },
    holdModel() {
      const { promise, resolve } = Promise.withResolvers<void>()
      model = promise
      return resolve
    },
    async webhook(channel, number, text, sender = senders[channel], edit = (body) => body) {
      const of = (body: string) => edit(body).replaceAll(senders[channel], sender)
      const json = { 'content-type': 'application/json' }
      const seconds = Math.floor(Date.now() / 1000).toString()
      if (channel === 'channel_a') {
        const body = of(await fixture('telegram-message-private.json'))
          .replace('900000001', String(900000000 + number))
          .replace('hello agent', text)
        const secret = hmac(secrets.telegram, 'channel_a webhook secret v1', 'base64url')
        return { body, headers: { ...json, 'x-telegram-bot-api-secret-token': secret } }
      }
      if (channel === 'channel_b') {
        const body = of(await fixture('slack-message-im.json'))
          .replaceAll('D0DM000001', `D${sender}`)
          .replaceAll('.000100', `.${String(number).padStart(6, '0')}`)
          .replace('66cc9473', String(number).padStart(8, '0'))
          .replace('hello &lt;agent&gt; &amp; co', text)
        const signature = `v0=${hmac(secrets.slack, `v0:${seconds}:${body}`, 'hex')}`
        const headers = { 'x-slack-request-timestamp': seconds, 'x-slack-signature': signature }
        return { body, headers: { ...json, ...headers } }
      }
      if (channel === 'channel_c') {
        const body = of(await fixture('discord-command-dm.json'))
          .replaceAll('1000000000000000011', `2${sender.slice(1)}`)
          .replace('1456074443980800003', `14560744439808${String(number).padStart(5, '0')}`)
          .replace('"hello"', JSON.stringify(text))
        const signature = sign(null, Buffer.from(seconds + body), privateKey).toString('hex')
        return {
          body,
          headers: { ...json, 'x-signature-ed25519': signature, 'x-signature-timestamp': seconds },
        }
      }
      if (channel === 'channel_d') {
        const body = of(await fixture('bridge-generic-message.json'))
          .replace('m-1', `m-${number}`)
          .replace('hello agent', text)
        return { body, headers: json }
      }
      const body = of(await fixture('viber-message-text.json'))
        .replace('5912661846655238145', `591266184665523${String(number).padStart(4, '0')}`)
        .replace('hello agent', text)
      return { body, headers: { ...json, 'x-viber-content-signature': hmac(secrets.viber, body, 'hex') } }
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return world
}

interface ChatRequest {
  readonly messages: readonly { readonly role: string; readonly content?: unknown }[]
}

/** The call that the model makes for a message with such a word. */
const calls: Readonly<Record<string, readonly [name: string, args: object]>> = {
  'use-tool': ['write_file', { path: 'a.txt', content: 'WORD' }],
  'ask-me': ['ask_user', { message: 'Which color?', options: ['red', 'blue'] }],
  'dig-for-me': ['run_agent', { agent_id: 'digger', task: 'Dig: question-dug', background: true }],
}

function answerAsModel({ messages }: ChatRequest, response: ServerResponse): void {
  const asked = JSON.stringify(messages.findLast(({ role }) => role === 'user')?.content)
  const word = /question-\w+/.exec(asked)?.[0] ?? 'nothing'
  const toChunk = (delta: object, finish: string | null) => {
    const chunk = { id: 'chunk', object: 'chat.completion.chunk', created: 1, model: 'channels' }
    return `data: ${JSON.stringify({ ...chunk, choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const wanted = Object.keys(calls).find((one) => asked.includes(one))
  if (wanted !== undefined && messages.at(-1)?.role === 'user') {
    const [name = '', args] = calls[wanted] ?? []
    const call = { name, arguments: JSON.stringify(args).replaceAll('WORD', word) }
    const tool_calls = [{ index: 0, id: `call-${word}`, type: 'function', function: call }]
    response.write(toChunk({ role: 'assistant', tool_calls }, null))
    response.end(`${toChunk({}, 'tool_calls')}data: [DONE]\n\n`)
    return
  }
  response.write(toChunk({ role: 'assistant', content: `answer to ${word}` }, null))
  response.end(`${toChunk({}, 'stop')}data: [DONE]\n\n`)
}
