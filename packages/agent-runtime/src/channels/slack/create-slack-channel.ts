import type { Settings } from '@homeward/contract/agent-platform'
import { parseJson } from '../../json/parse-json.ts'
import type {
  Channel,
  ChannelContext,
  ChannelReply,
  ChannelRequest,
  ReceivedRequest,
  ChannelProbe,
} from '../../ports/channel.ts'
import { escapeMrkdwn, toMrkdwn } from '../markdown/markdown-to-mrkdwn.ts'
import { toPlainText } from '../markdown/markdown-to-plain.ts'
import { renderParts } from '../markdown/render-parts.ts'
import { parseSlack } from './parse-slack.ts'
import { parseSlackPress } from './parse-slack-press.ts'
import { createSlackTyping, sendSlack } from './send-slack.ts'
import { createSlackApi, type SlackApi } from './slack-api.ts'
import { createSlackNames, type FindSlackName } from './slack-names.ts'
import { loadSlackFile, sendSlackFile } from './slack-files.ts'
import { SlackEnvelope } from './slack-event.ts'
import { isHmacSha256 } from '../webhooks/verify-hmac.ts'
import * as z from 'zod/mini'
import { ChannelError } from '../channel-error.ts'

/** Slack splits what is longer than about 4000, counted after escaping. */
const maxText = 3800

/**
 * Creates a channel for Slack (`channel_b`): direct messages, mentions and their threads, by the Events API.
 *
 * @example
 * const context: ChannelContext = { apiBase: undefined, verify: 'on', fetch, now: Date.now }
 * const channel = createSlackChannel({ channel_b_bot_token: token, channel_b_signing_secret: secret }, context)
 */
export function createSlackChannel(settings: Settings, context: ChannelContext): Channel {
  const api = createSlackApi(settings, context)
  const findName = createSlackNames(api, context.now)
  return {
    id: 'channel_b',
    maxText,
    // chat.postMessage knows no idempotency key: a repeat would be a second message
    isIdempotent: false,
    async receive(request) {
      const secret = settings.channel_b_signing_secret
      const isProven = context.verify === 'off' || (await verifySlack(request, secret, context.now()))
      return isProven
        ? withName(receiveEvent(request), findName)
        : answer({ status: 401 }, 'the signature is missing, invalid or expired')
    },
    render: (markdown) =>
      renderParts(markdown, {
        maxLength: maxText,
        toText: toMrkdwn,
        // the three characters mean something to Slack without any format too
        toPlain: (blocks) => escapeMrkdwn(toPlainText(blocks)),
      }),
    send: (target, part, options) => sendSlack(api, target, part, options),
    canReplace: true,
    sendFile: (target, file, options) => sendSlackFile(api, target, file, options),
    loadFile: (reference, options) => loadSlackFile(api, reference, options),
    typing: createSlackTyping(api),
    typingEveryMs: 60_000,
    probe: (signal) => probeSlack(api, signal),
  }
}

/** In a group, people are named: the agent has to tell them apart. */
async function withName(received: ReceivedRequest, findName: FindSlackName): Promise<ReceivedRequest> {
  if (received.kind !== 'message') return received
  const { message } = received
  const isRead = message.isAddressed || message.isFollowUp === true
  if (!message.group || !isRead || message.sender.name !== undefined) return received
  const name = await findName(message.sender.id)
  if (name === undefined) return received
  return { ...received, message: { ...message, sender: { ...message.sender, name } } }
}

/** Every event is acknowledged: Slack sends others again, and stops after too many failures. */
function receiveEvent({ body }: ChannelRequest): ReceivedRequest {
  const text = new TextDecoder().decode(body)
  const json = parseJson(text)
  if (json === undefined) return receiveInteraction(text)
  const envelope = SlackEnvelope.safeParse(json)
  if (!envelope.success) return answer({ status: 200 }, 'not an event')
  const { type, challenge } = envelope.data
  if (type === 'url_verification' && challenge) {
    return answer({ status: 200, contentType: 'text/plain', body: challenge }, 'Slack checks the address')
  }
  const parsed = parseSlack(envelope.data)
  if ('ignored' in parsed)
    return {
      ...answer({ status: 200 }, parsed.ignored),
      ...(parsed.reaction && { reaction: parsed.reaction }),
    }
  return { kind: 'message', reply: { status: 200 }, message: parsed.message }
}

/** Interactions come to the same address, as a form with one field. */
function receiveInteraction(form: string): ReceivedRequest {
  const payload = parseJson(new URLSearchParams(form).get('payload') ?? '')
  const parsed = parseSlackPress(payload)
  if ('ignored' in parsed) return answer({ status: 200 }, parsed.ignored)
  return { kind: 'message', reply: { status: 200 }, message: parsed.message }
}

function answer(reply: ChannelReply, why: string): ReceivedRequest & { readonly kind: 'reply' } {
  return { kind: 'reply', reply, why }
}

/** How far the time of a request may be from ours, in seconds, in both directions. */
const windowSeconds = 300

/** Whether a webhook request comes from Slack, and lately. Never without a signing secret. */
export async function verifySlack(
  request: ChannelRequest,
  signingSecret: string | undefined,
  nowMs: number,
): Promise<boolean> {
  const timestamp = request.header('x-slack-request-timestamp') ?? ''
  const signature = /^v0=([0-9a-f]{64})$/i.exec(request.header('x-slack-signature') ?? '')?.[1]
  if (!/^\d{1,12}$/.test(timestamp) || signature === undefined) return false
  if (Math.abs(Math.floor(nowMs / 1000) - Number(timestamp)) > windowSeconds) return false
  return isHmacSha256(signingSecret, signedBytes(timestamp, request.body), signature)
}

/** The bytes as they came: a body that was parsed and written again is another one. */
function signedBytes(timestamp: string, body: Uint8Array): Uint8Array {
  const start = new TextEncoder().encode(`v0:${timestamp}:`)
  const bytes = new Uint8Array(start.length + body.length)
  bytes.set(start)
  bytes.set(body, start.length)
  return bytes
}

const Identity = z.object({
  user: z.optional(z.string()),
  team: z.optional(z.string()),
  bot_id: z.optional(z.string()),
})

/** Scopes without which something of the channel does not work, and what. */
const scopes = {
  'chat:write': 'answers cannot be sent',
  'app_mentions:read': 'mentions do not arrive',
  'im:history': 'direct messages do not arrive',
  'users:read': 'agents see ids in place of names in channels',
} as const

/** Asks who the token belongs to and what it may do. Never throws. */
async function probeSlack(api: SlackApi, signal: AbortSignal): Promise<ChannelProbe> {
  try {
    const { json, headers } = await api.call('auth.test', {}, { signal })
    const { user, team, bot_id: botId } = Identity.parse(json)
    const warnings = missingScopes(headers.get('x-oauth-scopes'))
    const isBot = botId !== undefined
    if (!isBot)
      warnings.unshift('channel_b_bot_token is not a bot token. Use the Bot User OAuth Token (xoxb-…).')
    const identity = [user && `@${user}`, team && `(${team})`].filter(Boolean).join(' ')
    return {
      ok: isBot && !warnings.some((warning) => warning.includes('chat:write')),
      ...(identity !== '' && { identity }),
      warnings,
    }
  } catch (error) {
    const why = ChannelError.is(error) ? error.message : 'Checking Slack failed: the request was canceled.'
    return { ok: false, warnings: [why] }
  }
}

/** Slack tells in a header what a token may do; a proxy may leave it out. */
function missingScopes(header: string | null): string[] {
  if (header === null) return []
  const granted = new Set(header.split(',').map((scope) => scope.trim()))
  return Object.entries(scopes)
    .filter(([scope]) => !granted.has(scope))
    .map(
      ([scope, effect]) =>
        `The scope ${scope} is missing: ${effect}. Add it under OAuth & Permissions and install the app again.`,
    )
}
