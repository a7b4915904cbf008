import type { Settings } from '@homeward/contract/agent-platform'
import { parseJson } from '../../json/parse-json.ts'
import type { Channel, ChannelContext, ChannelReply, ReceivedRequest } from '../../ports/channel.ts'
import { renderParts } from '../markdown/render-parts.ts'
import { createDiscordApi } from './discord-api.ts'
import { toCommandName } from './discord-application.ts'
import { loadDiscordFile } from './discord-files.ts'
import { DiscordInteraction, DiscordRequest } from './discord-interaction.ts'
import { parseDiscord, parseDiscordPress } from './parse-discord.ts'
import { probeDiscord } from './probe-discord.ts'
import { giveUpDiscord, isRepeatable, sendDiscord, sendDiscordFile, typeDiscord } from './send-discord.ts'
import { setDiscordWebhook } from './set-discord-webhook.ts'
import { verifyDiscord } from './verify-discord.ts'

/** Below the platform's 2000. */
const maxText = 1950

/**
 * Discord (`channel_c`): a slash command and a command on messages, by the interactions endpoint.
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
