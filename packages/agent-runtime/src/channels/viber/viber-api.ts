import type { Settings } from '@homeward/contract/agent-platform'
import * as z from 'zod/mini'
import { callPlatform, type PlatformReply } from '../call-platform.ts'
import type { ChannelContext } from '../channel.ts'
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
    options: { signal: AbortSignal; timeoutMs?: number },
  ): Promise<PlatformReply>
}

/** Opens the API with the settings' token. Calls nobody yet. */
export function createViberApi(settings: Settings, context: ChannelContext): ViberApi {
  const token = settings.channel_e_auth_token ?? ''
  const base = (context.apiBase ?? 'https://chatapi.viber.com').replace(/\/+$/, '').replace(/\/pa$/, '')
  return {
    async call(method, parameters, { signal, timeoutMs = 15_000 }) {
      const what = `Viber ${method}`
      // only a message would be there twice
      const isRepeatable = method !== 'send_message'
      const reply = await callPlatform({
        what,
        url: `${base}/pa/${method}`,
        headers: { 'x-viber-auth-token': token },
        json: parameters,
        timeoutMs,
        isRepeatable,
        signal,
        fetch: context.fetch,
        secrets: [token],
      })
      // HTTP says 200 to a refusal too: only the status in the body counts
      const answer = Answer.safeParse(reply.json)
      if (reply.status === 200 && answer.success && answer.data.status === 0) return reply
      throw toViberError(reply, { what, isRepeatable, secrets: [token], nowMs: context.now() })
    },
  }
}

const Answer = z.object({ status: z.int() })
