import type { Settings } from '@homeward/contract/agent-platform'
import { parseJson } from '../../json/parse-json.ts'
import type {
  Channel,
  ChannelContext,
  ChannelReply,
  ChannelRequest,
  ReceivedRequest,
} from '../../ports/channel.ts'
import { escapeMrkdwn, toMrkdwn } from '../markdown/markdown-to-mrkdwn.ts'
import { toPlainText } from '../markdown/markdown-to-plain.ts'
import { renderParts } from '../markdown/render-parts.ts'
import { parseSlack } from './parse-slack.ts'
import { parseSlackPress } from './parse-slack-press.ts'
import { probeSlack } from './probe-slack.ts'
import { createSlackTyping, sendSlack } from './send-slack.ts'
import { createSlackApi } from './slack-api.ts'
import { loadSlackFile, sendSlackFile } from './slack-files.ts'
import { SlackEnvelope } from './slack-event.ts'
import { verifySlack } from './verify-slack.ts'

/** Slack splits what is longer than about 4000, counted after escaping. */
const maxText = 3800

/**
 * Slack (`channel_b`): direct messages, mentions, and the threads that follow from them, by the Events API.
 *
 * @example
 * const context: ChannelContext = { apiBase: undefined, verify: 'on', fetch, now: Date.now }
 * const channel = createSlackChannel({ channel_b_bot_token: token, channel_b_signing_secret: secret }, context)
 */
export function createSlackChannel(settings: Settings, context: ChannelContext): Channel {
  const api = createSlackApi(settings, context)
  return {
    id: 'channel_b',
    maxText,
    // chat.postMessage knows no idempotency key: a repeat would be a second message
    isIdempotent: false,
    async receive(request) {
      const secret = settings.channel_b_signing_secret
      const isProven = context.verify === 'off' || (await verifySlack(request, secret, context.now()))
      return isProven
        ? receiveEvent(request)
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
  if ('ignored' in parsed) return answer({ status: 200 }, parsed.ignored)
  return { kind: 'message', reply: { status: 200 }, message: parsed.message }
}

/** Interactions come to the same address, as a form with one field. */
function receiveInteraction(form: string): ReceivedRequest {
  const payload = parseJson(new URLSearchParams(form).get('payload') ?? '')
  const parsed = parseSlackPress(payload)
  if ('ignored' in parsed) return answer({ status: 200 }, parsed.ignored)
  return { kind: 'message', reply: { status: 200 }, message: parsed.message }
}

function answer(reply: ChannelReply, why: string): ReceivedRequest {
  return { kind: 'reply', reply, why }
}
