import { createHash, timingSafeEqual } from 'node:crypto'
import type { Allowance, TokenScope } from '@homeward/contract'
import {
  Allowance as AllowanceSchema,
  JsonObject,
  TokenScope as TokenScopeSchema,
  type Settings,
} from '@homeward/contract/agent-platform'
import { HttpError, rateLimited, type RequestView } from '@homeward/contract/handler'
import { createGuessLimits, must, required, toLimitKey, type OptionRule } from '@homeward/kit'
import { RuntimeError } from '../../ports/runtime-error.ts'
import type { AgentRuntime } from '../../runtime/runtime.ts'
import { isTokenSecret, namesToken, type Tokens } from '../../tokens/create-tokens.ts'
import {
  appCaller,
  firstAdministrator,
  localCaller,
  toTokenCaller,
  type PlatformCaller,
} from './platform-caller.ts'

/** Rights of a caller that your app has accepted. */
export interface PlatformGrant {
  /** Scopes of the caller, as for an access token: `read`, `run`, `approve`, `admin`. */
  readonly scopes: readonly TokenScope[]
  /** Agents that the caller can access. @default all agents */
  readonly agents?: readonly string[]
  /**
   * User of the caller.
   *
   * Requests get this `user_id`; another one is rejected with 403. Data of other users does not exist for the caller,
   * and ids that the caller chooses are private to the user. Not allowed with the scope `admin`.
   *
   * @default any user
   */
  readonly userId?: string
  /**
   * Request fields that a caller with a `userId` may set: `metadata`, `messages`, `model_settings`, `budget`.
   *
   * @default no fields
   */
  readonly allow?: readonly Allowance[]
  /** Metadata of the caller's runs, tasks and graphs. Overrides fields of the request. @default no metadata */
  readonly metadata?: JsonObject
  /** The caller's name in the audit: `user:ann@example.com`. @default `user:` and the `userId`, or `app` */
  readonly actor?: string
}

/** Recognizes callers in a way of your app's own, such as a session. @returns undefined for all others */
type Recognize = (request: RequestView) => PlatformGrant | undefined | Promise<PlatformGrant | undefined>

/**
 * Access rule of the HTTP API.
 *
 * - `none`: everyone who can reach the port. For a server on loopback whose user trusts every program on the machine.
 * - `token`: callers with `Authorization: Bearer <token>`. A function may return the token for each call; without a
 *   token every call is rejected.
 * - `settings`: the setting `api_token` decides at each call. While it is empty, everyone who can reach the port may
 *   call; with `required`, no one.
 * - a function: your own check of the request. `true` grants everything; a {@link PlatformGrant} grants the rights
 *   that it lists.
 *
 * Except with a function, access tokens of `POST /api/tokens` are also accepted, with their scopes.
 *
 * With `token` and `settings`, `recognize` is called first: a caller for whom it returns a {@link PlatformGrant}
 * needs no access token. A stream ends soon after `recognize` stops returning one for its request.
 */
export type PlatformAuth =
  | { readonly kind: 'none' }
  | {
      readonly kind: 'token'
      readonly token: string | (() => MaybeToken | Promise<MaybeToken>)
      readonly recognize?: Recognize
    }
  | { readonly kind: 'settings'; readonly required?: boolean; readonly recognize?: Recognize }
  | ((request: RequestView) => boolean | PlatformGrant | Promise<boolean | PlatformGrant>)

type MaybeToken = string | undefined

const sendToken = 'Send the access token in the header "Authorization: Bearer <token>".'
const sendOnce = 'The request has several Authorization headers. Send one, with one token.'
const unauthorized = (message: string) =>
  new HttpError(401, { error: 'Unauthorized', message }, { 'www-authenticate': 'Bearer' })

/** What callers are checked by. */
interface AuthenticatorSources {
  readonly settings: { read(): Promise<Settings> }
  readonly tokens: Pick<Tokens, 'verify'>
  /** The address by which wrong tokens are limited. */
  readonly clientAddress: (request: RequestView) => string
}

/** Finds out who calls. @throws {HttpError} 401, or 429 after too many tokens that are not valid */
type Authenticate = (request: RequestView) => Promise<PlatformCaller>

/**
 * Builds the check of each call. The token counts in the `Authorization` header only: one in a URL would stand in logs
 * and in histories, one in a cookie would be sent along by foreign pages.
 *
 * @throws {RuntimeError} `validation_error` when `auth` is none of those that there are.
 */
export function createAuthenticator(
  auth: PlatformAuth,
  sources: AuthenticatorSources,
  now: () => number = Date.now,
): Authenticate {
  assertAuth(auth)
  if (typeof auth === 'function') return async (request) => toCaller(await auth(request))
  const expected = createExpected(auth, sources.settings)
  const verify = createTokenCheck(sources, now)
  const recognize = auth.kind === 'none' ? undefined : auth.recognize

  return async (request) => {
    const recognized = await recognize?.(request)
    if (recognized !== undefined) return toCaller(recognized)
    const { token, isOpen } = await expected()
    const header = request.header('authorization') ?? ''
    const given = /^Bearer +(\S+) *$/i.exec(header)?.[1]
    // Whoever sends an access token means it, also where none is needed, and also one that is damaged.
    if (isOpen && (header === '' || !namesToken(header))) return localCaller
    if (given === undefined) throw unauthorized(isRepeated(header) ? sendOnce : sendToken)
    return verify(request, given, token === '' ? undefined : token)
  }
}

/** Which token the first administrator has, and whether callers without one may do everything. */
function createExpected(auth: Exclude<PlatformAuth, Function>, settings: AuthenticatorSources['settings']) {
  return async (): Promise<{ readonly token: MaybeToken; readonly isOpen: boolean }> => {
    if (auth.kind === 'none') return { token: undefined, isOpen: true }
    if (auth.kind === 'settings') {
      const { api_token: token } = await settings.read()
      return { token, isOpen: token === undefined && auth.required !== true }
    }
    const token = typeof auth.token === 'function' ? await auth.token() : auth.token
    return { token, isOpen: false }
  }
}

/** Most secrets that are known to have worked. */
const maxKnown = 10_000

/** Builds the check of access tokens. Guesses are limited per address, as those of API keys are (C12). */
function createTokenCheck(
  { tokens, clientAddress }: Pick<AuthenticatorSources, 'tokens' | 'clientAddress'>,
  now: () => number,
) {
  const known = new Set<string>()
  const limits = createGuessLimits((hash) => known.has(hash))

  async function find(
    given: string,
    address: string,
    ofAdministrator: MaybeToken,
  ): Promise<PlatformCaller | undefined> {
    const isAccessToken = isTokenSecret(given)
    if (!isAccessToken && ofAdministrator === undefined) return undefined
    const hash = digest(given).toString('base64url')
    // A person chose the first administrator's token: that it has worked elsewhere must not help who guesses.
    const key = isAccessToken ? hash : `${address} ${hash}`
    if (!limits.mayLookUp(key, address, now())) return undefined
    const caller = await lookUp(given, isAccessToken, ofAdministrator)
    if (caller === undefined) {
      limits.noteUnknown(key, now())
      return undefined
    }
    if (known.size >= maxKnown && !known.has(key)) known.delete(known.values().next().value!)
    known.add(key)
    return caller
  }

  async function lookUp(given: string, isAccessToken: boolean, ofAdministrator: MaybeToken) {
    if (ofAdministrator !== undefined && isSame(given, ofAdministrator)) return firstAdministrator
    const token = isAccessToken ? await tokens.verify(given) : undefined
    return token && toTokenCaller(token)
  }

  return async (
    request: RequestView,
    given: string,
    ofAdministrator: MaybeToken,
  ): Promise<PlatformCaller> => {
    const address = toLimitKey(clientAddress(request))
    const caller = await find(given, address, ofAdministrator)
    if (caller !== undefined) return caller
    const waitMs = limits.fail(address, now())
    if (waitMs > 0)
      throw rateLimited('Too many requests with an invalid access token from this address.', waitMs)
    throw unauthorized('The access token is invalid. Send a valid one.')
  }
}

/** What the host's function said. A host without types may give a `Response` that refuses. */
function toCaller(answer: unknown): PlatformCaller {
  if (answer === true) return appCaller
  if (!answer) throw unauthorized('The caller is not allowed.')
  if (!isGrant(answer)) {
    throw new TypeError(
      'Checking access failed: the "auth" function must return true, false or { scopes, agents?, userId?, allow?, metadata?, actor? }.',
    )
  }
  const { scopes, agents, userId, allow, metadata } = answer
  const actor = answer.actor ?? (userId === undefined ? appCaller.actor : `user:${userId}`)
  return {
    actor,
    scopes,
    ...(agents && { agents }),
    ...(userId !== undefined && { userId }),
    ...(allow && { allow }),
    ...(metadata && { metadata }),
  }
}

function isGrant(answer: unknown): answer is PlatformGrant {
  if (typeof answer !== 'object' || answer === null) return false
  const { scopes, agents, userId, allow, metadata, actor } = answer as Partial<
    Record<keyof PlatformGrant, unknown>
  >
  return (
    Array.isArray(scopes) &&
    scopes.every((scope) => TokenScopeSchema.safeParse(scope).success) &&
    (agents === undefined || (Array.isArray(agents) && agents.every((id) => typeof id === 'string'))) &&
    (userId === undefined ||
      (typeof userId === 'string' && userId !== '' && !(scopes as unknown[]).includes('admin'))) &&
    (allow === undefined ||
      (Array.isArray(allow) && allow.every((name) => AllowanceSchema.safeParse(name).success))) &&
    (metadata === undefined || JsonObject.safeParse(metadata).success) &&
    (actor === undefined || (typeof actor === 'string' && actor !== ''))
  )
}

/** A host without types may leave it out, or misspell it: it hears so at once, not with the first call. */
function assertAuth(auth: PlatformAuth | undefined): void {
  assertRecognize(auth)
  if (typeof auth === 'function' || auth?.kind === 'none' || auth?.kind === 'settings') return
  if (auth?.kind === 'token' && (typeof auth.token === 'string' || typeof auth.token === 'function')) return
  throw new RuntimeError(
    'validation_error',
    `Configuring access failed: "auth" must be { kind: 'none' }, { kind: 'settings' }, { kind: 'token', token } or a function.`,
  )
}

function assertRecognize(auth: PlatformAuth | undefined): void {
  const { recognize } = (auth ?? {}) as { readonly recognize?: unknown } // a host without types may give anything
  if (recognize === undefined || typeof recognize === 'function') return
  throw new RuntimeError('validation_error', 'Configuring access failed: "recognize" must be a function.')
}

/** The runtime that answers. */
export const aRuntime: OptionRule = /* @__PURE__ */ required(
  must(
    'be a runtime. Pass the result of createRuntime()',
    (value) => typeof (value as Partial<AgentRuntime> | null | undefined)?.settings === 'object',
  ),
)

/** Whether it came several times, joined by commas: which token was meant cannot be told. */
const isRepeated = (header: string) => /^Bearer +[^,]*,|, *Bearer +/i.test(header)

/** Takes the same time whatever differs: digests have one length. */
function isSame(given: string, expected: string): boolean {
  return timingSafeEqual(digest(given), digest(expected))
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

const loopback = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/i

/**
 * Accepts only requests with a loopback `Host` on any port, and only from pages of the same server, which prevents
 * DNS rebinding (CVE-2025-66414). For a server with other names, use `createAccessGuard`.
 */
export function loopbackGuard(request: Pick<RequestView, 'header'>): void {
  const host = request.header('host')
  if (host === undefined || !loopback.test(host)) {
    throw new HttpError(403, {
      error: 'Forbidden',
      message:
        `This server does not accept that host name: ${JSON.stringify(host?.slice(0, 200) ?? '')}. ` +
        'Call the server as 127.0.0.1 or localhost. To allow other names, pass createAccessGuard({ hosts }) as "guard".',
    })
  }
  const origin = request.header('origin')?.toLowerCase()
  if (origin === undefined) return
  if (origin !== `http://${host.toLowerCase()}` && origin !== `https://${host.toLowerCase()}`) {
    throw new HttpError(403, { error: 'Forbidden', message: 'Requests from this origin are not allowed.' })
  }
}
