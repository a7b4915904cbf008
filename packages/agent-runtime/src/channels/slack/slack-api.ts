import type { Settings } from '@homeward/contract/agent-platform'
import { callPlatform, type PlatformCallOptions, type PlatformReply } from '../call-platform.ts'
import type { ChannelContext } from '../../ports/channel.ts'
import { SlackAnswer, toSlackError } from './slack-error.ts'

/** Methods whose repeat changes nothing. */
const repeatable = new Set([
  'auth.test',
  'assistant.threads.setStatus',
  'files.getUploadURLExternal',
  'chat.update',
  'users.info',
])

/** Methods that take no JSON. */
const forms = new Set(['files.getUploadURLExternal', 'users.info'])

/** Slack's Web API for one bot. */
export interface SlackApi {
  /** For files, which are at other addresses. */
  readonly connection: { readonly token: string } & Pick<ChannelContext, 'fetch' | 'apiBase'>
  /**
   * Calls a method and gives its answer, which is a success.
   *
   * @throws {ChannelError} that does not hold the token.
   */
  call(method: string, parameters: object, options: PlatformCallOptions): Promise<PlatformReply>
}

/** Opens the Web API with the settings' token. Calls nobody yet. */
export function createSlackApi(settings: Settings, context: ChannelContext): SlackApi {
  const token = settings.channel_b_bot_token ?? ''
  const base = (context.apiBase ?? 'https://slack.com/api').replace(/\/+$/, '')
  const { fetch, apiBase } = context
  return {
    connection: { token, fetch, apiBase },
    async call(method, parameters, options) {
      const call = { what: `Slack ${method}`, isRepeatable: repeatable.has(method), secrets: [token] }
      const reply = await callPlatform({
        ...call,
        ...options,
        url: `${base}/${method}`,
        headers: { authorization: `Bearer ${token}`, 'content-type': toType(method) },
        ...(forms.has(method) ? { body: toForm(parameters) } : { json: parameters }),
        fetch,
      })
      const answer = SlackAnswer.safeParse(reply.json)
      if (reply.status === 200 && answer.success && answer.data.ok) return reply
      throw toSlackError(reply, { ...call, nowMs: context.now() })
    },
  }
}

/** Slack warns of JSON without a charset. */
const toType = (method: string) =>
  forms.has(method) ? 'application/x-www-form-urlencoded' : 'application/json; charset=utf-8'

const toForm = (parameters: object) =>
  new URLSearchParams(Object.entries(parameters).map(([key, value]) => [key, String(value)])).toString()
