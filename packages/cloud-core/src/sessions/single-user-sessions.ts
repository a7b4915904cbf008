import type { RequestView } from '@homeward/contract/handler'
import type { Sessions } from '../ports/sessions.ts'

const forwardingHeaders = [
  'forwarded',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-real-ip',
  'cf-connecting-ip',
  'via',
]
const loopbackHost = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/i
const loopbackAddress = /^(127(\.\d{1,3}){3}|::1|::ffff:127(\.\d{1,3}){3})$/

const agentPattern = /^[\w.:-]{1,128}$/

/**
 * Creates sessions with one fixed user for everybody on this machine, for trials.
 *
 * On a server that other machines can reach, only this machine has a session: devices and API tokens still work, and
 * everybody else gets 401.
 *
 * Two kinds of requests are not treated as local: those with an `Authorization` header, because the sender claims an
 * identity, and those through a tunnel or proxy, because they may come from any machine.
 *
 * A local program can name the agent for which it calls: the header `X-Homeward-Agent: <id>` records the actor
 * `agent:<id>` in the audit log. Programs on this machine are trusted to set it.
 *
 * @param userId user who owns all data. @default "local"
 * @example
 * const cloud = createDeviceCloud({ store, blobs, sessions: createSingleUserSessions() })
 */
export function createSingleUserSessions(userId = 'local'): Sessions {
  return {
    resolve(request) {
      if (!isLocal(request)) return null
      const agentId = request.header('x-homeward-agent')
      return agentId !== undefined && agentPattern.test(agentId)
        ? { userId, actor: `agent:${agentId}` }
        : { userId }
    },
  }
}

function isLocal(request: RequestView): boolean {
  if (request.header('authorization') !== undefined) return false
  if (request.remoteAddress === undefined || !loopbackAddress.test(request.remoteAddress)) return false
  if (!loopbackHost.test(request.header('host') ?? '')) return false
  for (const name of forwardingHeaders) if (request.header(name) !== undefined) return false
  return true
}
