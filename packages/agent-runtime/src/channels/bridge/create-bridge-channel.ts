import type { Settings } from '@homeward/contract/agent-platform'
import type { Channel, ChannelContext, ChannelRequest } from '../../ports/channel.ts'
import { without } from '../without.ts'
import { toPlainText } from '../markdown/markdown-to-plain.ts'
import { renderParts } from '../markdown/render-parts.ts'
import { loadBridgeFile } from './bridge-files.ts'
import { parseBridge } from './parse-bridge.ts'
import { probeBridge } from './probe-bridge.ts'
import { postToBridge, sendBridgeFile, sendToBridge } from './send-bridge.ts'
import { isHmacSha256, isSameSecret } from '../webhooks/verify-hmac.ts'

const maxText = 2000

/**
 * Creates a channel for a bridge to Signal, WhatsApp or another messenger (`channel_d`).
 *
 * The bridge posts messages to the webhook and receives answers at `<bridge_url>/send`. It must finish its request
 * before it accepts one: signal-cli-rest-api, for example, does not respond until its own request has a response.
 *
 * @example
 * const channel = createBridgeChannel({ channel_d_bridge_url: 'http://127.0.0.1:8080/v2' }, { apiBase: undefined, verify: 'on', fetch, now: Date.now })
 */
export function createBridgeChannel(settings: Settings, context: ChannelContext): Channel {
  const base = (context.apiBase ?? settings.channel_d_bridge_url ?? '').replace(/\/+$/, '')
  const secret = settings.channel_d_bridge_secret || undefined
  const bridge = { base, secret, fetch: context.fetch, now: context.now }
  let hasTyping = true
  return {
    id: 'channel_d',
    maxText,
    // the key is sent along, but most bridges do not know it
    isIdempotent: false,
    async receive(request) {
      if (context.verify === 'on' && !(await isFromBridge(request, secret))) {
        return { kind: 'reply', reply: { status: 401 }, why: 'the bridge sent no valid secret' }
      }
      return parseBridge(request.body)
    },
    render: (markdown) => renderParts(markdown, { maxLength: maxText, toText: toPlainText }),
    toChatTarget: ({ data }) => ({ data: without(data, 'reply_to') }),
    send: (target, part, options) => sendToBridge(bridge, target, part, options),
    sendFile: (target, file, options) => sendBridgeFile(bridge, target, file, options),
    loadFile: (reference, options) => loadBridgeFile(bridge, reference, options),
    async typing(target, signal) {
      if (!hasTyping) return
      const { conversation_id, to } = target.data
      const reply = await postToBridge(bridge, 'typing', { conversation_id, to }, { signal, timeoutMs: 3000 })
      // few bridges can: those that cannot are not asked every few seconds
      hasTyping = reply.status !== 404 && reply.status !== 405
    },
    probe: (signal) => probeBridge(bridge, signal),
  }
}

/**
 * Whether a request comes from the bridge: it is signed with the secret (`X-Hub-Signature-256`) or holds it
 * (`Authorization: Bearer`, or `?token=` for a bridge that can only be given an address). What is there decides: a wrong
 * signature is not made good by a token. Without a secret only this very machine is trusted.
 */
async function isFromBridge(request: ChannelRequest, secret: string | undefined): Promise<boolean> {
  if (!secret) return request.isLocal
  const signature = request.header('x-hub-signature-256')
  if (signature !== undefined) {
    const hex = /^sha256=([0-9a-f]{64})$/i.exec(signature)?.[1]
    return isHmacSha256(secret, request.body, hex)
  }
  const authorization = request.header('authorization')
  if (authorization !== undefined) {
    return isSameSecret(/^bearer +(.+)$/i.exec(authorization)?.[1], secret)
  }
  return isSameSecret(new URLSearchParams(request.search).get('token') ?? undefined, secret)
}
