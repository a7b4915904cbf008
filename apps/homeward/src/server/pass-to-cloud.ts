import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { AgentRuntime } from '@homeward/agent-runtime'
import type { CloudServer } from './start-cloud-server.ts'
import type { OtherHalf } from './one-origin.ts'

/** The device cloud as the agent platform needs it. Without `answer`, its port serves no device cloud. */
export type CloudHalf = Pick<CloudServer, 'url'> &
  Partial<Pick<CloudServer, 'answer' | 'localUser' | 'facts' | 'signIn'>>

/** What {@link passToCloud} takes. */
interface PassToCloudOptions {
  readonly cloud: CloudHalf
  readonly runtime: AgentRuntime
  readonly platform: { fetch(request: Request): Promise<Response> }
  /** A `Host` header that the platform accepts. */
  readonly host: () => string
}

/** The device cloud as the pages call it, on either port. */
interface PassedCloud {
  /** For the port of the agent platform. */
  readonly half: OtherHalf
  /** For its own port. */
  readonly answerOnOwnPort: RequestListener
}

/**
 * Serves the device cloud to the pages. If the platform has an access token, its administrators are the local user. On the
 * platform's own port nobody else is: a proxy in front of it makes every caller look local.
 */
export function passToCloud(options: PassToCloudOptions): PassedCloud {
  const { cloud, runtime, platform, host } = options
  async function isAdministrator(authorization: string | undefined): Promise<boolean> {
    if (authorization === undefined) return false
    const headers = { authorization, host: host() }
    return (await platform.fetch(new Request(`http://${host()}/api/tokens`, { headers }))).ok
  }

  async function pass(request: IncomingMessage, response: ServerResponse, isOwnPort: boolean): Promise<void> {
    const { api_token: token } = await runtime.settings.read()
    if (token !== undefined && cloud.localUser) {
      const { authorization } = request.headers
      if (await isAdministrator(authorization)) cloud.localUser.mark(request)
      else if (authorization === undefined && !isOwnPort) return refuse(response)
    }
    cloud.answer?.(request, response)
  }

  const listener =
    (isOwnPort: boolean): RequestListener =>
    (request, response) =>
      void pass(request, response, isOwnPort).catch(() => response.destroy())
  return {
    half: { url: cloud.url, serves: async () => cloud.answer !== undefined, answer: listener(false) },
    answerOnOwnPort: listener(true),
  }
}

function refuse(response: ServerResponse): void {
  response.writeHead(401, { 'content-type': 'application/json; charset=utf-8' })
  response.end(JSON.stringify({ error: 'Unauthorized' }))
}
