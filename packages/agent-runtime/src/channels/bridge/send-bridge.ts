import type { FetchOption } from '@homeward/kit/http'
import { callPlatform, redactSecrets, toChannelError } from '../call-platform.ts'
import type { PlatformReply } from '../call-platform.ts'
import { ChannelError } from '../channel-error.ts'
import type { OutboundFile, OutboundPart, ReplyTarget, SendOptions } from '../../ports/channel.ts'
import { uploadTimeoutMs } from '../files/file-form.ts'
import { hmacSha256, toHex } from '../webhooks/verify-hmac.ts'
import { fieldsOf, nameOf } from './bridge-body.ts'

/** Where a bridge is. */
export interface BridgeAddress {
  /** Without a slash at its end. */
  readonly base: string
  readonly secret: string | undefined
  readonly fetch: FetchOption | undefined
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

/**
 * Sends a part by `POST <base>/send`. The body serves a bridge of one's own and, with a base that ends in `/v2`,
 * signal-cli-rest-api as it is.
 */
export async function sendToBridge(
  bridge: BridgeAddress,
  target: ReplyTarget,
  part: OutboundPart,
  options: SendOptions,
): Promise<{ id?: string }> {
  return send(bridge, target, { text: part.text, message: part.text }, options)
}

/** Sends a file by the same request, with `files` instead of a text. signal-cli-rest-api has a field of its own for them. */
export async function sendBridgeFile(
  bridge: BridgeAddress,
  target: ReplyTarget,
  { name, mediaType, content }: OutboundFile,
  options: Omit<SendOptions, 'notice'>,
): Promise<{ id?: string }> {
  const data = Buffer.from(content.buffer, content.byteOffset, content.byteLength).toString('base64')
  // a comma or a semicolon would end the name
  const plain = name.replaceAll(/[,;]/g, '_')
  const files = /\/v\d+$/.test(bridge.base)
    ? { base64_attachments: [`data:${mediaType};filename=${plain};base64,${data}`] }
    : { files: [{ name, media_type: mediaType, data }] }
  return send(bridge, target, { text: '', message: '', ...files }, { ...options, timeoutMs: uploadTimeoutMs })
}

async function send(
  bridge: BridgeAddress,
  { data }: ReplyTarget,
  content: { readonly text: string; readonly message: string },
  { index, signal, idempotencyKey, timeoutMs = 15_000 }: SendOptions & { readonly timeoutMs?: number },
): Promise<{ id?: string }> {
  const { conversation_id, to, reply_to, account } = data
  const message = {
    conversation_id,
    to,
    ...(index === 0 && reply_to !== undefined && { reply_to }),
    ...(account !== undefined && { number: account }),
    recipients: [to],
    ...content,
  }
  const headers = { 'idempotency-key': idempotencyKey }
  const reply = await postToBridge(bridge, 'send', message, { signal, timeoutMs, headers })
  if (reply.status >= 200 && reply.status < 300) return toSent(reply)
  throw toSendError(bridge, reply)
}

/** Calls the bridge with all that proves who calls. */
export async function postToBridge(
  bridge: BridgeAddress,
  path: string,
  message: object,
  options: { signal: AbortSignal; timeoutMs: number; headers?: Readonly<Record<string, string>> },
): Promise<PlatformReply> {
  const body = JSON.stringify(message)
  const signature = bridge.secret && {
    authorization: `Bearer ${bridge.secret}`,
    'x-hub-signature-256': `sha256=${toHex(await hmacSha256(bridge.secret, body))}`,
  }
  return callPlatform({
    what: `Bridge ${path}`,
    url: `${bridge.base}/${path}`,
    headers: { 'content-type': 'application/json', ...signature, ...options.headers },
    body,
    timeoutMs: options.timeoutMs,
    signal: options.signal,
    fetch: bridge.fetch,
    secrets: [bridge.secret],
  })
}

function toSent(reply: PlatformReply): { id?: string } {
  const body = fieldsOf(reply.json)
  const id = nameOf(body.id, body.message_id, body.timestamp, fieldsOf(body.results).message_id)
  return id === undefined ? {} : { id }
}

function toSendError(bridge: BridgeAddress, reply: PlatformReply): ChannelError {
  const body = fieldsOf(reply.json)
  const said = nameOf(body.error, body.message)
  if (reply.status === 429 && Array.isArray(body.challenge_tokens)) {
    const advice = 'Solve the captcha with the challenge token on the bridge, then send the message again.'
    return new ChannelError('permanent', `Bridge send failed: Signal requires a captcha. ${advice}`)
  }
  if (reply.status === 404 || reply.status === 405) {
    const advice = 'Check channel_d_bridge_url. The server appends /send to it.'
    const detail = said ? ` (${redactSecrets(said, [bridge.secret]).slice(0, 200)})` : ''
    return new ChannelError('permanent', `Bridge send failed: HTTP ${reply.status}${detail}. ${advice}`)
  }
  return toChannelError(
    reply,
    { what: 'Bridge send', secrets: [bridge.secret] },
    { detail: said, nowMs: bridge.now() },
  )
}
