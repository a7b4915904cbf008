import { http, HttpResponse } from 'msw'
import { setupServer } from 'msw/node'
import { afterAll, afterEach, beforeAll, vi } from 'vitest'
import type { OutboundPart, ReplyTarget } from '../../../ports/channel.ts'
import { channelContext, fixture } from '../../testing/platform-kit.ts'
import { createDiscordChannel } from '../create-discord-channel.ts'
import { testPublicKey } from './sign-discord.ts'

export const botToken = 'test-discord-bot-token-0123456789-abcdefgh'
const interactionToken = 'test-interaction-token-0123456789-abcdefgh'
export const secrets = [botToken, interactionToken]
const askedAt = 1_767_225_600_000
const api = 'https://discord.com/api/v10'

/** Addresses of what this channel calls. */
export const urls = {
  original: `${api}/webhooks/1000000000000000001/${interactionToken}/messages/@original`,
  followUp: `${api}/webhooks/1000000000000000001/${interactionToken}`,
  channel: `${api}/channels/1000000000000000010/messages`,
  typing: `${api}/channels/1000000000000000010/typing`,
  application: `${api}/applications/@me`,
  commands: `${api}/applications/1000000000000000001/commands`,
} as const

/** Where the question of the tests came from. */
export const target: ReplyTarget = {
  expiresAtMs: askedAt + 900_000,
  data: {
    application_id: '1000000000000000001',
    token: interactionToken,
    channel_id: '1000000000000000010',
  },
}
export const part: OutboundPart = { text: 'It is **sunny**.', plain: 'It is sunny.' }
/** How a message of ours looks on the wire. */
export const message = { content: 'It is **sunny**.', allowed_mentions: { parse: [] }, flags: 4 }

const server = setupServer()

/** Starts and stops the mock around the tests of a file. */
export function useDiscord(): void {
  beforeAll(() => server.listen({ onUnhandledFrame: 'error' }))
  afterEach(() => {
    // before the timers are real again: else the fake one would be put back
    vi.restoreAllMocks()
    vi.useRealTimers()
    server.resetHandlers()
  })
  afterAll(() => server.close())
}

/** A call that Discord got. */
export interface Sent {
  readonly headers: Headers
  readonly body: unknown
}
export type Reply = () => Response | Promise<Response>

/** Answers the calls of an address one after the other, the last answer for ever; gives what was sent. */
export function answer(method: 'get' | 'post' | 'patch', url: string, ...replies: readonly Reply[]): Sent[] {
  const sent: Sent[] = []
  server.use(
    http[method](url, async ({ request }) => {
      const reply = replies[sent.length] ?? replies.at(-1)
      const body = await request.clone().text()
      sent.push({ headers: request.headers, body: body === '' ? undefined : JSON.parse(body) })
      return reply?.() ?? HttpResponse.error()
    }),
  )
  return sent
}

/** An answer with a fixture. */
export const json =
  (file: string, init?: ResponseInit): Reply =>
  () =>
    HttpResponse.json(fixture(file), init)

/** A refusal with one of Discord's numbers. */
export const refusal =
  (status: number, code: number): Reply =>
  () =>
    HttpResponse.json({ message: 'No', code }, { status })

/** A message that was kept. */
export const kept = json('discord-api-original-message.json')

/** The channel, some time after the question. */
export function channelAfter(seconds = 0, settings: Readonly<Record<string, string>> = {}) {
  return createDiscordChannel(
    { channel_c_bot_token: botToken, channel_c_public_key: testPublicKey, ...settings },
    channelContext({ now: () => askedAt + seconds * 1000 }),
  )
}

/** Lets only `setTimeout` stand still, and notes what it is asked for. */
export function stopTimers(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  vi.spyOn(globalThis, 'setTimeout')
}

/** Whether somebody waits for just this time. */
export function isWaiting(delayMs: number): boolean {
  return vi.mocked(setTimeout).mock.calls.some(([, asked]) => asked === delayMs)
}
