import type { Settings } from '@homeward/contract/agent-platform'
import * as z from 'zod/mini'
import { callPlatform, type PlatformCallOptions, type PlatformReply } from '../call-platform.ts'
import type { ChannelContext } from '../../ports/channel.ts'
import { toViberError } from './viber-error.ts'

/** Viber's REST API for one bot. */
export interface ViberApi {
  /**
   * Calls a method and gives the answer of a success.
   *
   * @throws {ChannelError} that does not hold the token.
   */
  call(
    method: 'send_message' | 'set_webhook' | 'get_account_info',
    parameters: object,
    options: PlatformCallOptions,
  ): Promise<PlatformReply>
}

/** Opens the API with the settings' token. Calls nobody yet. */
export function createViberApi(settings: Settings, context: ChannelContext): ViberApi {
  const token = settings.channel_e_auth_token ?? ''
  const base = (context.apiBase ?? 'https://chatapi.viber.com').replace(/\/+$/, '').replace(/\/pa$/, '')
  return {
    async call(method, parameters, options) {
      // only a message would be there twice
      const call = { what: `Viber ${method}`, isRepeatable: method !== 'send_message', secrets: [token] }
      const reply = await callPlatform({
        ...call,
        ...options,
        url: `${base}/pa/${method}`,
        headers: { 'x-viber-auth-token': token },
        json: parameters,
        fetch: context.fetch,
      })
      // HTTP says 200 to a refusal too: only the status in the body counts
      const answer = Answer.safeParse(reply.json)
      if (reply.status === 200 && answer.success && answer.data.status === 0) return reply
      throw toViberError(reply, { ...call, nowMs: context.now() })
    },
  }
}

const Answer = z.object({ status: z.int() })
