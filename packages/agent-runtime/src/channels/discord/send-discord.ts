import * as z from 'zod/mini'
import type {
  OutboundFile,
  OutboundPart,
  ReplyTarget,
  SendOptions,
  MessageButton,
} from '../../ports/channel.ts'
import { ChannelError } from '../channel-error.ts'
import { sleep } from '@homeward/kit'
import type { DiscordApi } from './discord-api.ts'
import { DiscordError } from './discord-error.ts'
import { toHex } from '../webhooks/verify-hmac.ts'

const Target = z.object({ application_id: z.string(), token: z.string(), channel_id: z.string() })
type Target = z.infer<typeof Target>

/** Our edit can overtake our own answer to the webhook: Discord knows of nothing to edit yet. In milliseconds. */
const overtakenDelaysMs = [300, 1000, 3000]

/** Before a call whose end is not known is made again, in milliseconds. */
const repeatDelayMs = 1000

/** A repeat that the pipeline makes within this time still edits, and posts nothing new. In milliseconds. */
const safeRestMs = 5 * 60_000

/** A message that shows no previews of its links. */
const suppressEmbeds = 4

/** What replaces "thinking…" when Discord refuses the answer itself. */
const apology = 'The answer cannot be shown here.'

/** What a call needs besides its message. */
interface Sending {
  readonly api: DiscordApi
  readonly target: Target
  readonly expiresAtMs: number
  readonly signal: AbortSignal
  /** Goes with the message. */
  readonly file?: OutboundFile
}

/**
 * Sends one part: the first takes the place of "thinking…", the others follow it. When the interaction's 15 minutes
 * are over they are posted to the channel with the bot's own token.
 *
 * @throws {ChannelError}
 */
export async function sendDiscord(
  api: DiscordApi,
  target: ReplyTarget,
  part: OutboundPart,
  { signal, index, idempotencyKey, notice }: SendOptions,
): Promise<{ id?: string }> {
  const sending = toSending(api, target, signal)
  // plain messages ping everyone that they name, answers the people; a preview would fetch addresses that the model wrote
  const plain = { content: part.text, allowed_mentions: { parse: [] }, flags: suppressEmbeds }
  const { buttons, replaces } = notice ?? {}
  if (replaces !== undefined && (await replaceMessage(sending, plain, replaces))) return { id: replaces }
  const message = buttons ? { ...plain, components: toComponents(buttons) } : plain
  if (api.now() < sending.expiresAtMs) {
    try {
      return await (index === 0 && !notice ? replaceThinking(sending, message) : followUp(sending, message))
    } catch (error) {
      if (!isClosed(error)) throw error
    }
  }
  return postToChannel(sending, message, await toNonce(idempotencyKey))
}

/** Sends a file as a message that follows the answer. @throws {ChannelError} */
export async function sendDiscordFile(
  api: DiscordApi,
  target: ReplyTarget,
  file: OutboundFile,
  { signal, idempotencyKey }: Pick<SendOptions, 'signal' | 'idempotencyKey'>,
): Promise<{ id?: string }> {
  const sending = { ...toSending(api, target, signal), file }
  const message = { allowed_mentions: { parse: [] } }
  if (api.now() < sending.expiresAtMs) {
    try {
      return await followUp(sending, message)
    } catch (error) {
      if (!isClosed(error)) throw error
    }
  }
  return postToChannel(sending, message, await toNonce(idempotencyKey))
}

/**
 * Replaces a message and takes its buttons away, by the interaction's token or, once that is over, by the bot's own.
 *
 * @returns false if Discord does not: the chat gets a new message.
 */
async function replaceMessage(sending: Sending, message: object, id: string): Promise<boolean> {
  const { api, target, expiresAtMs, signal } = sending
  const edit = { ...message, components: [] }
  const path = `/messages/${encodeURIComponent(id)}`
  try {
    if (api.now() < expiresAtMs) {
      await callInteraction(sending, 'PATCH', path, edit)
      return true
    }
  } catch (error) {
    if (!isClosed(error)) throw error
  }
  try {
    const call = { what: 'Discord edit', method: 'PATCH', isRepeatable: true, json: edit, signal } as const
    await api.call({ ...call, path: `/channels/${target.channel_id}${path}` })
    return true
  } catch (error) {
    const isRefused = error instanceof DiscordError && error.status >= 400 && error.status < 429
    if (isRefused) return false
    throw error
  }
}

/** Takes "thinking…" away after a failure. Never throws. */
export async function giveUpDiscord(
  api: DiscordApi,
  target: ReplyTarget,
  signal: AbortSignal,
): Promise<void> {
  if (!Target.safeParse(target.data).success || api.now() >= (target.expiresAtMs ?? 0)) return
  await apologize(toSending(api, target, signal))
}

/** Whether a repeat of a part can only edit what the first try has made. */
export function isRepeatable({ expiresAtMs = 0 }: ReplyTarget, index: number, nowMs: number): boolean {
  return index === 0 && nowMs < expiresAtMs - safeRestMs
}

/** "thinking…" is shown by Discord for as long as the token lives; after that this shows "typing…" for 10 s. Never throws. */
export async function typeDiscord(api: DiscordApi, target: ReplyTarget, signal: AbortSignal): Promise<void> {
  const parsed = Target.safeParse(target.data)
  if (!parsed.success || api.now() < (target.expiresAtMs ?? 0)) return
  const path = `/channels/${parsed.data.channel_id}/typing`
  // a sign of life, not worth an error
  await api
    .call({ what: 'Discord typing', method: 'POST', path, signal, timeoutMs: 4000 })
    .catch(() => undefined)
}

async function replaceThinking(sending: Sending, message: object): Promise<{ id?: string }> {
  const delaysMs = [...overtakenDelaysMs]
  let isRepeated = false
  for (;;) {
    try {
      return toSent(await callInteraction(sending, 'PATCH', '/messages/@original', message))
    } catch (error) {
      if (!ChannelError.is(error)) throw error
      let delayMs: number | undefined
      if (isNotFound(error)) delayMs = delaysMs.shift()
      else if (error.code === 'uncertain' && !isRepeated) {
        isRepeated = true
        delayMs = repeatDelayMs
      }
      if (delayMs === undefined) throw await afterRefusal(sending, error)
      await sleep(delayMs, sending.signal)
    }
  }
}

/** The error to tell; "thinking…" is taken away when no other answer will do that. */
async function afterRefusal(sending: Sending, error: ChannelError): Promise<ChannelError> {
  const { api, expiresAtMs } = sending
  // the same edit again does no harm
  if (error.code === 'uncertain' && api.now() < expiresAtMs - safeRestMs) {
    return new ChannelError(
      'temporary',
      error.message.replace(' The message may or may not have arrived.', ''),
    )
  }
  const isRefused = error.code === 'permanent' || error.code === 'too_long'
  if (isRefused && !isNotFound(error)) await apologize(sending)
  return error
}

async function apologize(sending: Sending): Promise<void> {
  const message = { content: apology, allowed_mentions: { parse: [] } }
  await callInteraction(sending, 'PATCH', '/messages/@original', message).catch(() => undefined)
}

async function followUp(sending: Sending, message: object): Promise<{ id?: string }> {
  return toSent(await callInteraction(sending, 'POST', '', message))
}

async function callInteraction(
  { api, target, signal, file }: Sending,
  method: 'PATCH' | 'POST',
  rest: string,
  json: object,
): Promise<unknown> {
  const { application_id: applicationId, token } = target
  return api.call({
    what: method === 'PATCH' ? 'Discord answer' : 'Discord follow-up',
    method,
    path: `/webhooks/${applicationId}/${encodeURIComponent(token)}${rest}`,
    json,
    ...(file && { file }),
    interactionToken: token,
    signal,
  })
}

/** Discord posts one message for one nonce, for some minutes: so a call whose end is not known is made twice. */
async function postToChannel(
  { api, target, signal, file }: Sending,
  message: object,
  nonce: string,
): Promise<{ id?: string }> {
  const call = {
    what: 'Discord channel message',
    method: 'POST',
    path: `/channels/${target.channel_id}/messages`,
    json: { ...message, nonce, enforce_nonce: true },
    ...(file && { file }),
    signal,
  } as const
  try {
    return toSent(await api.call(call))
  } catch (error) {
    if (!ChannelError.is(error) || error.code !== 'uncertain') {
      throw target.token === '' ? error : explainExpiry(error)
    }
    await sleep(repeatDelayMs, signal)
    return toSent(await api.call(call))
  }
}

/** The bot cannot write where the person asked: the interaction was the only way. */
function explainExpiry(error: unknown): unknown {
  if (!ChannelError.is(error) || error.code !== 'gone') return error
  const rule = 'Fifteen minutes after a question, the bot needs permission to write in the channel.'
  return new ChannelError('expired', `${error.message} ${rule}`)
}

/** The interaction takes nothing more, and has taken nothing: the channel may. */
function isClosed(error: unknown): boolean {
  if (!(error instanceof DiscordError)) return false
  return error.code === 'expired' || error.code === 'gone' || isNotFound(error)
}

function isNotFound(error: ChannelError): boolean {
  return error instanceof DiscordError && (error.status === 404 || error.discordCode === 10015)
}

function toSending(api: DiscordApi, { data, expiresAtMs = 0 }: ReplyTarget, signal: AbortSignal): Sending {
  const target = Target.safeParse(data)
  if (target.success) return { api, target: target.data, expiresAtMs, signal }
  throw new ChannelError('permanent', 'Discord answer failed: the incoming message does not name a channel.')
}

const buttonStyles = { positive: 3, negative: 4, plain: 2 } as const

/** Buttons that Discord takes in a row. */
const perRow = 5

/** Buttons as rows of components. */
const toComponents = (buttons: readonly MessageButton[]) =>
  Array.from({ length: Math.ceil(buttons.length / perRow) }, (_, row) => ({
    type: 1,
    components: buttons.slice(row * perRow, (row + 1) * perRow).map(({ label, command, style }) => ({
      type: 2,
      style: buttonStyles[style ?? 'plain'],
      label,
      custom_id: command,
    })),
  }))

/** What Discord knows a repeat of a message by. */
async function toNonce(key: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(key))
  // Discord takes 25 characters
  return toHex(new Uint8Array(digest)).slice(0, 25)
}

const Sent = z.object({ id: z.string() })

/** The id of a message that Discord has taken. */
function toSent(json: unknown): { id?: string } {
  const sent = Sent.safeParse(json)
  return sent.success ? { id: sent.data.id } : {}
}
