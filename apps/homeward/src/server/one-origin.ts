import { randomBytes, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Sessions } from '@homeward/cloud-core'
import { badRequest, type UpgradeListener } from '../http/open-port.ts'
import type { PageSessions } from '../sign-in/page-sessions.ts'

/** The two APIs that the pages call. */
type Half = 'devices' | 'agents'

/**
 * Path before each API, on both ports: the pages are one application at one origin, whichever port a browser opens. The
 * documented addresses stay as they are.
 */
const prefixes: Readonly<Record<Half, string>> = { devices: '/device-cloud', agents: '/agent-platform' }

/** The API that a request names by its prefix, which is taken away. Undefined for any other request. */
function takePrefix(request: IncomingMessage): Half | undefined {
  const half = halfOf(request)
  if (half !== undefined) request.url = request.url!.slice(prefixes[half].length)
  return half
}

function halfOf({ url = '' }: IncomingMessage): Half | undefined {
  if (url.startsWith(`${prefixes.devices}/api/`)) return 'devices'
  return url.startsWith(`${prefixes.agents}/api/`) ? 'agents' : undefined
}

/** Path before the API of the agent platform, on both ports. */
export const platformPrefix = prefixes.agents

/** Path of the prefixed WebSocket of the agent platform. */
export const prefixedEventsPath = `${prefixes.agents}/api/events`

/** One API, as the port of the other one serves it. */
export interface OtherHalf {
  /** `http://127.0.0.1:3010` */
  readonly url: string
  /**
   * Whether it answers a caller who came to the other port.
   *
   * @param isLocal whether that port is for this machine only, and the caller is on it.
   */
  serves(isLocal: boolean): Promise<boolean>
  answer(request: IncomingMessage, response: ServerResponse): void
  readonly upgrade?: UpgradeListener
  /** Answers for the other API, after it has recognized administrators of this one. */
  readonly answerDevices?: RequestListener
}

/** What a port needs to serve both APIs under their prefixes. */
interface HalvesOptions {
  /** Whose documented address this port is. */
  readonly own: Half
  readonly answer: RequestListener
  /** Undefined until the other server has started, or if there is none. */
  readonly other: () => OtherHalf | undefined
  /** Whether the port is for this machine only, as far as the settings say. Behind a proxy every caller looks local. */
  readonly isForThisMachine: boolean
  /** Sessions of people whom the identity provider has signed in. @default none */
  readonly sessions?: PageSessions | undefined
}

/** Serves both APIs under their prefixes. */
interface Halves {
  /** @returns whether the request has a prefix: it is answered then. */
  answer(request: IncomingMessage, response: ServerResponse): boolean
  /** Passes a WebSocket on to the other half. */
  readonly upgrade: UpgradeListener
  /** Whether the caller reaches the API of the other port here. */
  servesOther(request: IncomingMessage | undefined): Promise<boolean>
}

/** Creates what serves both APIs on one port. */
export function createHalves(options: HalvesOptions): Halves {
  const { own, answer, other, isForThisMachine, sessions } = options
  const servesOther = async (request: IncomingMessage | undefined) => {
    const isLocal = isForThisMachine && request !== undefined && isFromThisMachine(request)
    return (await other()?.serves(isLocal)) ?? false
  }
  async function answerOther(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (await servesOther(request)) return other()?.answer(request, response)
    const error = {
      error: 'Not found',
      code: 'not_found',
      message: 'This address does not serve this API.',
    }
    response.writeHead(404, { 'content-type': 'application/json; charset=utf-8' }).end(JSON.stringify(error))
  }
  return {
    servesOther,
    upgrade(request, socket, head) {
      sessions?.admit(request, true)
      const pass = (isServed: boolean) => {
        if (isServed && other()?.upgrade) other()!.upgrade!(request, socket, head)
        else socket.end(badRequest)
      }
      servesOther(request).then(pass, () => socket.destroy())
    },
    answer(request, response) {
      const half = takePrefix(request)
      sessions?.admit(request, half !== undefined)
      if (half === own) (other()?.answerDevices ?? answer)(request, response)
      else if (half !== undefined) answerOther(request, response).catch(() => response.destroy())
      return half !== undefined
    },
  }
}

const loopbackHost = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i
const loopbackAddress = /^(?:127(?:\.\d{1,3}){3}|::1|::ffff:127(?:\.\d{1,3}){3})$/
const forwardingHeaders = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'via']

/** Whether a request was sent on this machine, and through no proxy that says so. */
function isFromThisMachine({ headers, socket }: IncomingMessage): boolean {
  if (!loopbackAddress.test(socket.remoteAddress ?? '') || !loopbackHost.test(headers.host ?? ''))
    return false
  return forwardingHeaders.every((name) => headers[name] === undefined)
}

const markHeader = 'x-homeward-local-user'

/**
 * Lets an administrator of the agent platform be the local user of the device cloud, also from another machine. The mark is
 * a secret of this process, so that no caller can set it.
 */
export interface LocalUserMark {
  /** Marks a request whose access token was checked. */
  mark(request: IncomingMessage): void
  /** Sessions that recognize the mark. */
  wrap(sessions: Sessions): Sessions
}

/** Creates a mark with a secret of its own. */
export function createLocalUserMark(userId = 'local'): LocalUserMark {
  const secret = randomBytes(32)
  const isSecret = (given: string | undefined) => {
    const bytes = Buffer.from(given ?? '', 'hex')
    return bytes.length === secret.length && timingSafeEqual(bytes, secret)
  }
  return {
    mark({ headers }) {
      delete headers.authorization
      headers[markHeader] = secret.toString('hex')
    },
    wrap: (sessions) => ({
      resolve: (request) => (isSecret(request.header(markHeader)) ? { userId } : sessions.resolve(request)),
    }),
  }
}
