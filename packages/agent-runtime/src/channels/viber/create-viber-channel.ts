import type { Settings } from '@homeward/contract/agent-platform'
import type { Channel, ChannelContext, ChannelRequest, ReceivedRequest } from '../../ports/channel.ts'
import { toPlainText } from '../markdown/markdown-to-plain.ts'
import { renderParts } from '../markdown/render-parts.ts'
import { parseViber, type ParsedCallback } from './parse-viber.ts'
import { sendViber, toViberText } from './send-viber.ts'
import { verifyViber } from './verify-viber.ts'
import { createViberName } from './viber-account.ts'
import { createViberApi } from './viber-api.ts'
import { loadViberFile } from './viber-files.ts'
import { probeViber, setViberWebhook } from './viber-webhook.ts'

const maxText = 7000

/** What somebody reads who opens the chat for the first time: before they write, nothing else may be sent. */
const welcome = 'Hello! Write a message to begin.'

/**
 * Viber (`channel_e`): by webhook only.
 *
 * @example
 * const context: ChannelContext = { apiBase: undefined, verify: 'on', fetch, now: Date.now }
 * const channel = createViberChannel({ channel_e_auth_token: token }, context)
 */
export function createViberChannel(settings: Settings, context: ChannelContext): Channel {
  const token = settings.channel_e_auth_token ?? ''
  const api = createViberApi(settings, context)
  const name = createViberName(api, context.now)
  return {
    id: 'channel_e',
    maxText,
    // Viber knows no idempotency key: a repeat would be a second message
    isIdempotent: false,
    async receive(request) {
      const isProven = context.verify === 'off' || (await verifyViber(request, token))
      return isProven
        ? receiveCallback(request, name.known())
        : answer(401, 'the signature is missing or invalid')
    },
    render: (markdown) => renderParts(markdown, { maxLength: maxText, toText: toPlainText }),
    send: (target, part, options) => sendViber(api, name, target, part, options),
    loadFile: (reference, options) => loadViberFile(context, reference, options),
    setWebhook: (webhookUrl, signal) => setViberWebhook(api, webhookUrl, signal),
    probe: (signal) => probeViber(api, name, signal),
  }
}

function receiveCallback(request: ChannelRequest, senderName: string): ReceivedRequest {
  let parsed: ParsedCallback
  try {
    parsed = parseViber(request.body)
  } catch {
    return answer(400, 'the body is not JSON')
  }
  if ('ignored' in parsed) return answer(200, parsed.ignored)
  if ('message' in parsed) return { kind: 'message', reply: { status: 200 }, message: parsed.message }
  const body = JSON.stringify(toViberText(welcome, senderName))
  return {
    kind: 'reply',
    reply: { status: 200, contentType: 'application/json', body },
    why: 'a user has opened the chat',
  }
}

function answer(status: number, why: string): ReceivedRequest {
  return { kind: 'reply', reply: { status }, why }
}
