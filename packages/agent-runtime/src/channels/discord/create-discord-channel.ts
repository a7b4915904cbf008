import type { Settings } from '@homeward/contract/agent-platform'
import { parseJson } from '../../json/parse-json.ts'
import type {
  Channel,
  ChannelContext,
  ChannelReply,
  ReceivedRequest,
  ChannelProbe,
  ChannelRequest,
} from '../../ports/channel.ts'
import { renderParts } from '../markdown/render-parts.ts'
import { createDiscordApi, type DiscordApi } from './discord-api.ts'
import {
  toCommandName,
  getDiscordApplication,
  hasCommand,
  type DiscordApplication,
  registerCommands,
  setInteractionsUrl,
} from './discord-application.ts'
import { loadDiscordFile } from './discord-files.ts'
import { DiscordInteraction, DiscordRequest } from './discord-interaction.ts'
import { parseDiscord, parseDiscordPress } from './parse-discord.ts'
import { giveUpDiscord, isRepeatable, sendDiscord, sendDiscordFile, typeDiscord } from './send-discord.ts'
import { ChannelError } from '../channel-error.ts'
import { isOwnWebhook, showWebhook } from '../webhooks/webhook-address.ts'
import { fromHex } from '../webhooks/verify-hmac.ts'

/** Below the platform's 2000. */
const maxText = 1950

/**
 * Creates a channel for Discord (`channel_c`): a slash command and a command on messages, by the interactions
 * endpoint.
 *
 * @example
 * const context: ChannelContext = { apiBase: undefined, verify: 'on', fetch, now: Date.now }
 * const channel = createDiscordChannel({ channel_c_bot_token: token, channel_c_public_key: key }, context)
 */
export function createDiscordChannel(settings: Settings, context: ChannelContext): Channel {
  const api = createDiscordApi(settings, context)
  const command = toCommandName(settings.channel_c_command)
  return {
    id: 'channel_c',
    maxText,
    // follow-ups know no idempotency key: a repeat would be a second message
    isIdempotent: false,
    isRepeatable: (target, index) => isRepeatable(target, index, context.now()),
    async receive(request) {
      const key = settings.channel_c_public_key
      const isProven = context.verify === 'off' || (await verifyDiscord(request, key, context.now()))
      // Discord tries with wrong signatures, and removes an address that does not answer 401
      if (!isProven) return answer({ status: 401 }, 'the signature is missing, invalid or expired')
      return receiveInteraction(request.body, command, context.now())
    },
    // Discord's own format is Markdown
    render: (markdown) => renderParts(markdown, { maxLength: maxText, toText: (_blocks, source) => source }),
    // an interaction is answered for 15 minutes only: after that, the bot posts to the channel
    toChatTarget: ({ data }) => ({ data: { ...data, token: '' } }),
    send: (target, part, options) => sendDiscord(api, target, part, options),
    canReplace: true,
    // a bot without a boosted server
    maxFileBytes: 10 * 1024 * 1024,
    sendFile: (target, file, options) => sendDiscordFile(api, target, file, options),
    loadFile: (reference, options) => loadDiscordFile(context, reference, options),
    typing: (target, signal) => typeDiscord(api, target, signal),
    typingEveryMs: 8000,
    giveUp: (target, signal) => giveUpDiscord(api, target, signal),
    setWebhook: (webhookUrl, signal) => setDiscordWebhook(api, settings, webhookUrl, signal),
    probe: (signal) => probeDiscord(api, settings, signal),
  }
}

const requestTypes = { ping: 1, command: 2, component: 3, autocomplete: 4 } as const
const replyTypes = { pong: 1, message: 4, thinking: 5, noChange: 6, choices: 8 } as const

function receiveInteraction(body: Uint8Array, command: string, nowMs: number): ReceivedRequest {
  const json = parseJson(new TextDecoder().decode(body))
  if (json === undefined) return answer({ status: 400 }, 'the body is not JSON')
  const request = DiscordRequest.safeParse(json)
  if (!request.success) return answer(toReply(note('This bot does not support this.')), 'an unknown shape')
  const { type, event } = request.data
  // another feature of Discord, which checks and sends in its own way
  if (type === 0 || event !== undefined) return answer({ status: 204 }, 'a webhook event')
  if (type === requestTypes.ping)
    return answer(toReply({ type: replyTypes.pong }), 'Discord checks the address')
  if (type === requestTypes.component) {
    const press = parseDiscordPress(json, nowMs)
    if (!press) return answer(toReply({ type: replyTypes.noChange }), 'a button or a list')
    // the answer is for the person alone, and does not replace the message with the button
    const thinking = { type: replyTypes.thinking, data: { flags: onlyForThem } }
    return { ...outcomes, kind: 'message', reply: toReply(thinking), message: press }
  }
  if (type === requestTypes.autocomplete) {
    return answer(toReply({ type: replyTypes.choices, data: { choices: [] } }), 'suggestions for an option')
  }
  const interaction = DiscordInteraction.safeParse(json)
  if (type !== requestTypes.command || !interaction.success) {
    return answer(toReply(note('This bot does not support this.')), `an interaction of type ${type}`)
  }
  const parsed = parseDiscord(interaction.data, command, nowMs)
  if ('note' in parsed) return answer(toReply(note(parsed.note)), parsed.note)
  return {
    ...outcomes,
    kind: 'message',
    reply: toReply({ type: replyTypes.thinking }),
    message: parsed.message,
  }
}

/** A message with this flag is seen by the person alone. */
const onlyForThem = 64

/** A message that only the person sees who has asked. */
function note(content: string): object {
  return { type: replyTypes.message, data: { content, flags: onlyForThem, allowed_mentions: { parse: [] } } }
}

function toReply(json: object): ChannelReply {
  return { status: 200, contentType: 'application/json', body: JSON.stringify(json) }
}

/** What the platform gets if no agent answers, and if the person may not write. */
const outcomes = {
  refusal: toReply(note('No agent answers here yet.')),
  denial: toReply(note('You cannot use this agent here. Ask the person who runs it to let you in.')),
}

function answer(reply: ChannelReply, why: string): ReceivedRequest {
  return { kind: 'reply', reply, why }
}

/** Asks which application the token belongs to, and whether it calls here. Never throws. */
async function probeDiscord(api: DiscordApi, settings: Settings, signal: AbortSignal): Promise<ChannelProbe> {
  try {
    const application = await getDiscordApplication(api, signal)
    const command = toCommandName(settings.channel_c_command)
    const faults = findFaults(application, settings.channel_c_public_key)
    const notes =
      (await hasCommand(api, application.id, command, signal)) === false
        ? [
            `The command /${command} is not registered for all servers. Run set-webhook, or register it by hand.`,
          ]
        : []
    const { name, interactions_endpoint_url: url } = application
    return {
      ok: faults.length === 0,
      ...(name && { identity: name }),
      ...(url && { webhookUrl: showWebhook('channel_c', url) }),
      warnings: [...faults, ...notes],
    }
  } catch (error) {
    const why = ChannelError.is(error) ? error.message : 'Checking Discord failed: the request was canceled.'
    return { ok: false, warnings: [why] }
  }
}

/** Each keeps questions from coming in. */
function findFaults(application: DiscordApplication, publicKey: string | undefined): string[] {
  const faults = []
  if (application.verify_key?.toLowerCase() !== publicKey?.toLowerCase()) faults.push(foreignKey)
  const url = application.interactions_endpoint_url
  if (!url) {
    faults.push('No interactions address is set at Discord, so questions do not arrive. Run set-webhook.')
  } else if (!isOwnWebhook('channel_c', url)) {
    faults.push(
      `Discord sends interactions to another program (${showWebhook('channel_c', url)}). Run set-webhook to get them.`,
    )
  }
  return faults
}

/** Registers the address for interactions and the commands. A repeat does no harm. @throws {ChannelError} */
async function setDiscordWebhook(
  api: DiscordApi,
  settings: Settings,
  webhookUrl: string,
  signal: AbortSignal,
): Promise<void> {
  const attempt = 'Setting the Discord interactions address'
  const url = URL.canParse(webhookUrl) ? new URL(webhookUrl) : undefined
  if (url?.protocol !== 'https:') {
    throw new ChannelError(
      'permanent',
      `${attempt} failed: Discord calls only https addresses. Use an https address.`,
    )
  }
  const { channel_c_public_key: publicKey } = settings
  if (!isPublicKey(publicKey)) {
    throw new ChannelError(
      'permanent',
      `${attempt} failed: channel_c_public_key must be 64 hexadecimal digits. Copy it from the page General Information.`,
    )
  }
  const { id, verify_key: verifyKey } = await getDiscordApplication(api, signal)
  if (isPublicKey(verifyKey) && verifyKey.toLowerCase() !== publicKey.toLowerCase()) {
    throw new ChannelError('permanent', `${attempt} failed: ${foreignKey}`)
  }
  await setInteractionsUrl(api, url.href, signal)
  await registerCommands(api, id, toCommandName(settings.channel_c_command), signal)
}

/** What is wrong when the key in the settings is not the application's. */
const foreignKey =
  'channel_c_public_key and channel_c_bot_token belong to different applications. Copy the key from the page General Information.'

/** How far the time of a request may be from ours, in seconds: as long as its token lives. Discord names no limit. */
const windowSeconds = 900

const algorithm = { name: 'Ed25519' } as const

/** Whether a text is a public key of Discord: 32 bytes in hexadecimal digits. */
export function isPublicKey(text: string | undefined): text is string {
  return text !== undefined && /^[0-9a-f]{64}$/i.test(text)
}

/** Whether a webhook request comes from Discord, and lately. Never with a key that is missing or none. */
export async function verifyDiscord(
  request: ChannelRequest,
  publicKey: string | undefined,
  nowMs: number,
): Promise<boolean> {
  const timestamp = request.header('x-signature-timestamp') ?? ''
  const signature = request.header('x-signature-ed25519') ?? ''
  if (!isPublicKey(publicKey) || !/^\d{1,12}$/.test(timestamp)) return false
  // first: what is no digit would be read as 0
  if (!/^[0-9a-f]{128}$/i.test(signature)) return false
  if (Math.abs(Math.floor(nowMs / 1000) - Number(timestamp)) > windowSeconds) return false
  return isEd25519(publicKey, signature, signedBytes(timestamp, request.body))
}

/** Whether a signature was made by the owner of a key. Both are hexadecimal digits of the right length. */
export async function isEd25519(
  publicKey: string,
  signature: string,
  content: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  try {
    const key = await crypto.subtle.importKey('raw', fromHex(publicKey), algorithm, false, ['verify'])
    return await crypto.subtle.verify(algorithm, key, fromHex(signature), content)
  } catch {
    // 32 bytes that are no point of the curve
    return false
  }
}

/** The bytes as they came: a body that was parsed and written again is another one. */
function signedBytes(timestamp: string, body: Uint8Array): Uint8Array<ArrayBuffer> {
  const start = new TextEncoder().encode(timestamp)
  const bytes = new Uint8Array(start.length + body.length)
  bytes.set(start)
  bytes.set(body, start.length)
  return bytes
}
