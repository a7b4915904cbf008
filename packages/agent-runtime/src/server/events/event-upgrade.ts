import { HttpError, type RequestView } from '@homeward/contract/handler'
import { createAuthenticator, type PlatformAuth } from '../access/platform-auth.ts'
import { forbidden, hasScope, isLimited, keepsAccess, scopeMissing } from '../access/platform-caller.ts'
import type { AgentRuntime } from '../../runtime/runtime.ts'

/** Subprotocol that is chosen when a client offers it; a browser that offers one has to offer this one too. */
const eventProtocol = 'homeward'
const tokenPrefix = 'homeward.token.'

/** The used parts of an upgrade request. A web-standard `Request` fits. */
export interface UpgradeRequest {
  readonly url: string
  readonly headers: Pick<Headers, 'get'>
  /** Address of the client, by which failed tokens are limited. @default all clients share one limit */
  readonly remoteAddress?: string | undefined
}

/** An upgrade that passed the check. */
export interface AcceptedUpgrade {
  /** Subprotocol to choose, if any. */
  readonly protocol: string | undefined
  /** Whether the caller may still receive events: its token is neither deleted nor expired. */
  mayContinue(): Promise<boolean>
}

/** How upgrades are checked. */
interface UpgradeCheckOptions {
  readonly runtime: Pick<AgentRuntime, 'settings' | 'tokens'>
  readonly auth: PlatformAuth
  readonly guard: (request: RequestView) => void
  readonly clientAddress: (request: RequestView) => string
}

/**
 * Builds the check of a WebSocket upgrade: the same rules as for every REST call (A19). As browsers cannot set headers
 * here, the token may also come as a subprotocol, `homeward.token.<token>`, percent-encoded. One in the URL does not count.
 *
 * The scope is `read`, and the events are those of everybody: a caller who reaches some agents only gets none (A26).
 *
 * @returns a check that gives the subprotocol to choose, if any, and throws `HttpError` to refuse.
 */
export function createUpgradeCheck({ runtime, auth, guard, clientAddress }: UpgradeCheckOptions) {
  const { settings, tokens } = runtime
  const authenticate = createAuthenticator(auth, { settings, tokens, clientAddress })
  return async (request: UpgradeRequest): Promise<AcceptedUpgrade> => {
    const protocols = protocolsOf(request)
    const view = toView(request, protocols)
    guard(view)
    const caller = await authenticate(view)
    if (!hasScope(caller, 'read')) throw scopeMissing('read')
    if (isLimited(caller))
      throw forbidden('This caller cannot follow all events. Follow a run with GET /api/runs/{id}/events.')
    if (view.header('upgrade')?.toLowerCase() !== 'websocket') {
      throw new HttpError(
        426,
        { error: 'Upgrade required', code: 'upgrade_required', message: 'Open a WebSocket to this address.' },
        { upgrade: 'websocket' },
      )
    }
    return {
      protocol: protocols.includes(eventProtocol) ? eventProtocol : undefined,
      mayContinue: async () => typeof auth === 'function' || keepsAccess(authenticate(view), 'read'),
    }
  }
}

function protocolsOf({ headers }: UpgradeRequest): string[] {
  return (headers.get('sec-websocket-protocol') ?? '').split(',').map((name) => name.trim())
}

/** The request as the checks of REST calls see it, with the token where they look for it. */
function toView({ url, headers, remoteAddress }: UpgradeRequest, protocols: readonly string[]): RequestView {
  const { pathname, search, origin } = URL.canParse(url) ? new URL(url) : new URL('http://unknown.invalid/')
  const token = tokenOf(protocols)
  return {
    method: 'GET',
    path: pathname,
    search: search.slice(1),
    origin,
    remoteAddress,
    signal: new AbortController().signal,
    header(name) {
      const value = headers.get(name) ?? undefined
      return name === 'authorization' && token !== undefined ? (value ?? `Bearer ${token}`) : value
    },
    async *body() {},
  }
}

function tokenOf(protocols: readonly string[]): string | undefined {
  const offered = protocols.find((name) => name.startsWith(tokenPrefix))?.slice(tokenPrefix.length)
  if (offered === undefined) return undefined
  try {
    return decodeURIComponent(offered)
  } catch {
    return offered // then it is wrong, and the check says so
  }
}
