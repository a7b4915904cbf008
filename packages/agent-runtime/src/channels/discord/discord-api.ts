import type { Settings } from '@homeward/contract/agent-platform'
import { callPlatform } from '../call-platform.ts'
import type { ChannelContext, OutboundFile } from '../../ports/channel.ts'
import { toFileForm, uploadTimeoutMs } from '../files/file-form.ts'
import { toDiscordError } from './discord-error.ts'

/** A call of Discord's API. */
interface DiscordCall {
  /** What is attempted, for errors. */
  readonly what: string
  readonly method: 'GET' | 'POST' | 'PATCH'
  /** Below the base, beginning with `/`. Every id in it is digits only. */
  readonly path: string
  readonly json?: object
  /** Sent with `json`, as a form. */
  readonly file?: OutboundFile
  /** Token of an interaction that is part of the path: then the bot's own is not sent. */
  readonly interactionToken?: string
  /** Whether making it twice does no harm. @default for GET */
  readonly isRepeatable?: boolean
  readonly signal: AbortSignal
  /** @default 10000, so that a second try has its time too */
  readonly timeoutMs?: number
}

/** Discord's API for one application. */
export interface DiscordApi {
  readonly now: () => number
  /**
   * Makes a call and gives its answer.
   *
   * @throws {ChannelError} that holds neither token; a {@link DiscordError} when Discord has answered.
   */
  call(call: DiscordCall): Promise<unknown>
}

/** Discord turns away programs that do not say their name in this form. */
const userAgent = 'DiscordBot (homeward, 1)'

/** Opens the API with the settings' token. Calls nobody yet. */
export function createDiscordApi(settings: Settings, context: ChannelContext): DiscordApi {
  const token = settings.channel_c_bot_token ?? ''
  const base = (context.apiBase ?? 'https://discord.com/api/v10').replace(/\/+$/, '')
  return {
    now: context.now,
    async call({ what, method, path, json, file, interactionToken, signal, ...call }) {
      const timeoutMs = call.timeoutMs ?? (file ? uploadTimeoutMs : 10_000)
      const byInteraction = interactionToken !== undefined
      const isRepeatable = call.isRepeatable ?? method === 'GET'
      const reply = await callPlatform({
        what,
        method,
        url: base + path,
        headers: { 'user-agent': userAgent, ...(!byInteraction && { authorization: `Bot ${token}` }) },
        ...toBody(json, file),
        timeoutMs,
        isRepeatable,
        signal,
        fetch: context.fetch,
        secrets: [token, interactionToken],
      })
      const isAnswer = typeof reply.json === 'object' && reply.json !== null
      const isDone = reply.status === 204 || (reply.status >= 200 && reply.status < 300 && isAnswer)
      if (isDone) return reply.json
      throw toDiscordError(reply, { what, byInteraction, isRepeatable, nowMs: context.now() })
    },
  }
}

function toBody(json: object | undefined, file: OutboundFile | undefined) {
  if (!file) return json ? { json } : {}
  return { body: toFileForm({ payload_json: JSON.stringify(json ?? {}) }, 'files[0]', file) }
}
