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

/** The agent platform, as both ports serve it to the pages. */
export interface PlatformApi {
  readonly answer: RequestListener
  readonly upgrade: UpgradeListener
  /** Whether it asks for an access token. Without one, everybody who reaches it may use it: then only this machine does. */
  needsToken(): Promise<boolean>
  /** Whether the access token of a request may administer it. Wrong tokens count for the caller of the request. */
  isAdministrator(request: IncomingMessage): Promise<boolean>
}

/** The device cloud, as both ports serve it to the pages. */
export interface DevicesApi {
  readonly answer: RequestListener
  /** Makes a request one of the local user. Undefined if users come from an identity provider. */
  readonly localUser: LocalUserMark | undefined
}

/** What a port needs to serve both APIs under their prefixes. */
interface PageApisOptions {
  /** Whose documented address the port is. */
  readonly port: Half
  readonly devices: DevicesApi
  /** Undefined until it has started, or if there is none. */
  readonly platform: () => PlatformApi | undefined
  /** Whether the port is for this machine only, as far as the settings say. Behind a proxy every caller looks local. */
  readonly isForThisMachine: boolean
  /** Sessions of people whom the identity provider has signed in. @default none */
  readonly sessions?: PageSessions | undefined
}

/** Serves both APIs under their prefixes. */
interface PageApis {
  /** @returns whether the request has a prefix: it is answered then. */
  answer(request: IncomingMessage, response: ServerResponse): boolean
  /** Opens the WebSocket of the agent platform. */
  readonly upgrade: UpgradeListener
  /** Whether the caller reaches the agent platform here. */
  servesPlatform(request: IncomingMessage | undefined): Promise<boolean>
}

/**
 * Creates what serves both APIs to the pages on one port. The port of the device cloud serves the agent platform only to
 * those who could use it anyway. If the platform has an access token, its administrators are the local user of the device
 * cloud; on the platform's own port nobody else is, because a proxy in front of it makes every caller look local.
 */
export function createPageApis(options: PageApisOptions): PageApis {
  const { port, devices, platform, isForThisMachine, sessions } = options

  async function findPlatform(request: IncomingMessage | undefined): Promise<PlatformApi | undefined> {
    const found = platform()
    if (found === undefined || port === 'agents') return found
    const isLocal = isForThisMachine && request !== undefined && isFromThisMachine(request)
    return isLocal || (await found.needsToken()) ? found : undefined
  }

  async function answerPlatform(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const found = await findPlatform(request)
    if (found) return found.answer(request, response)
    const message = 'This address does not serve this API.'
    refuse(response, 404, { error: 'Not found', code: 'not_found', message })
  }

  async function answerDevices(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const found = devices.localUser && platform()
    if (found && (await found.needsToken())) {
      const { authorization } = request.headers
      if (authorization === undefined) {
        if (port === 'agents') return refuse(response, 401, { error: 'Unauthorized' })
      } else if (await found.isAdministrator(request)) devices.localUser?.mark(request)
    }
    devices.answer(request, response)
  }

  return {
    servesPlatform: async (request) => (await findPlatform(request)) !== undefined,
    upgrade(request, socket, head) {
      sessions?.admit(request, request.url?.startsWith(prefixedEventsPath) === true)
      findPlatform(request).then(
        (found) => (found ? found.upgrade(request, socket, head) : void socket.end(badRequest)),
        () => socket.destroy(),
      )
    },
    answer(request, response) {
      const half = takePrefix(request)
      sessions?.admit(request, half !== undefined)
      if (half === undefined) return false
      const answering =
        half === 'agents' ? answerPlatform(request, response) : answerDevices(request, response)
      answering.catch(() => response.destroy())
      return true
    },
  }
}

function refuse(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' }).end(JSON.stringify(body))
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
interface LocalUserMark {
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
