import * as z from 'zod/mini'
import { sleep } from '@homeward/kit'
import type { OutFile, ReplyTarget } from '../../ports/channel.ts'
import { ChannelError } from '../channel-error.ts'
import { toHex } from '../webhooks/verify-hmac.ts'
import type { DiscordApi } from './discord-api.ts'
import { DiscordError } from './discord-error.ts'

/** Where an answer goes. */
export const Target = z.object({ application_id: z.string(), token: z.string(), channel_id: z.string() })
export type Target = z.infer<typeof Target>

const Sent = z.object({ id: z.string() })

/** Before a call whose end is not known is made again, in milliseconds. */
export const repeatDelayMs = 1000

/** What a call needs besides its message. */
export interface Sending {
  readonly api: DiscordApi
  readonly target: Target
  readonly expiresAtMs: number
  readonly signal: AbortSignal
  /** Goes with the message. */
  readonly file?: OutFile
}

/** Posts a message that follows the answer. */
export async function followUp(sending: Sending, message: object): Promise<{ id?: string }> {
  return toSent(await callInteraction(sending, 'POST', '', message))
}

/** Calls Discord with the token of the interaction. */
export async function callInteraction(
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
export async function postToChannel(
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
  const rule = 'Fifteen minutes after the question only a bot that may write in the channel can answer.'
  return new ChannelError('expired', `${error.message} ${rule}`)
}

/** The interaction takes nothing more, and has taken nothing: the channel may. */
export function isClosed(error: unknown): boolean {
  if (!(error instanceof DiscordError)) return false
  return error.code === 'expired' || error.code === 'gone' || isNotFound(error)
}

/** Whether Discord knows of no such thing. */
export function isNotFound(error: ChannelError): boolean {
  return error instanceof DiscordError && (error.status === 404 || error.discordCode === 10015)
}

/** A key as Discord takes it. */
export async function toNonce(key: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(key))
  // Discord takes 25 characters
  return toHex(new Uint8Array(digest)).slice(0, 25)
}

/** @throws {ChannelError} `permanent` for a target of another kind */
export function toSending(
  api: DiscordApi,
  { data, expiresAtMs = 0 }: ReplyTarget,
  signal: AbortSignal,
): Sending {
  const target = Target.safeParse(data)
  if (target.success) return { api, target: target.data, expiresAtMs, signal }
  throw new ChannelError('permanent', 'Discord answer failed: the question to answer names no channel.')
}

/** Id of a message that was sent, if the answer has one. */
export function toSent(json: unknown): { id?: string } {
  const sent = Sent.safeParse(json)
  return sent.success ? { id: sent.data.id } : {}
}
