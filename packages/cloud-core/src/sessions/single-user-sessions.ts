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
 * One fixed user for everybody on this machine, for trials (C23). On a server that others reach too, only this machine has
 * a session: devices and API tokens are served, everybody else gets 401.
 *
 * A request with an `Authorization` header is nobody's either: whoever sends one means to be somebody in particular (C30). A
 * request that came through a tunnel or proxy is nobody's: behind one, the whole internet arrives from loopback.
 *
 * A local program can say for which agent it calls: the header `X-Homeward-Agent: <id>` makes `agent:<id>` the actor in the
 * audit. Programs of this machine are trusted with it.
 *
 * @param userId who everything belongs to. @default "local"
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
