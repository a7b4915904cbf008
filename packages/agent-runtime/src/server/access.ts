import { createHash, timingSafeEqual } from 'node:crypto'
import { HttpError, type RequestView } from '@homeward/contract/handler'
import type { Settings } from '@homeward/contract/agent-platform'
import { RuntimeError } from '../ports/runtime-error.ts'
import type { AgentRuntime } from '../runtime/runtime.ts'

/**
 * Who may call the local API (A19). The host has to choose:
 *
 * - `none`: whoever reaches the port. For a server on loopback whose user trusts every program on the machine.
 * - `token`: whoever sends `Authorization: Bearer <token>`. A function may look it up for each call; without a token
 *   nobody may call.
 * - `settings`: as the setting `api_token` says, at each call. While there is none, whoever reaches the port; with
 *   `required`, nobody.
 * - a function: the host's own check of the request; only `true` lets it in.
 */
export type PlatformAuth =
  | { readonly kind: 'none' }
  | { readonly kind: 'token'; readonly token: string | (() => MaybeToken | Promise<MaybeToken>) }
  | { readonly kind: 'settings'; readonly required?: boolean }
  | ((request: RequestView) => boolean | Promise<boolean>)

type MaybeToken = string | undefined

const sendToken = 'Send the access token in the header "Authorization: Bearer <token>".'
const sendOnce = 'The header Authorization came more than once. Send it once, with one token.'
const unauthorized = (message: string) =>
  new HttpError(401, { error: 'Unauthorized', message }, { 'www-authenticate': 'Bearer' })

/**
 * Builds the check of each call. The token counts in the `Authorization` header only: one in a URL would stand in logs
 * and in histories, one in a cookie would be sent along by foreign pages.
 *
 * @throws {RuntimeError} `validation_error` when `auth` is none of those that there are.
 */
export function createAuthenticator(
  auth: PlatformAuth,
  settings: { read(): Promise<Settings> },
): (request: RequestView) => Promise<void> {
  assertAuth(auth)

  async function expected(): Promise<{ readonly token: MaybeToken; readonly isOpen: boolean }> {
    if (typeof auth === 'function' || auth.kind === 'none') return { token: undefined, isOpen: true }
    if (auth.kind === 'settings') {
      const { api_token: token } = await settings.read()
      return { token, isOpen: token === undefined && auth.required !== true }
    }
    const token = typeof auth.token === 'function' ? await auth.token() : auth.token
    return { token, isOpen: false }
  }

  return async (request) => {
    if (typeof auth === 'function') {
      const mayCall: unknown = await auth(request) // a host without types may give a `Response` that refuses
      if (mayCall === true) return
      if (mayCall) throw new TypeError('Asking auth whether a caller may call: it must answer true or false.')
      throw unauthorized('The caller is not allowed.')
    }
    const { token, isOpen } = await expected()
    if (isOpen) return
    const header = request.header('authorization') ?? ''
    const given = /^Bearer +(\S+) *$/i.exec(header)?.[1]
    if (given === undefined) throw unauthorized(isRepeated(header) ? sendOnce : sendToken)
    if (token === undefined || token === '' || !isSame(given, token)) {
      throw unauthorized('The access token is not valid.')
    }
  }
}

/** A host without types may leave it out, or misspell it: it hears so at once, not with the first call. */
function assertAuth(auth: PlatformAuth | undefined): void {
  if (typeof auth === 'function' || auth?.kind === 'none' || auth?.kind === 'settings') return
  if (auth?.kind === 'token' && (typeof auth.token === 'string' || typeof auth.token === 'function')) return
  throw new RuntimeError(
    'validation_error',
    "Choosing who may call: auth must be { kind: 'none' }, { kind: 'settings' }, { kind: 'token', token } or a function.",
  )
}

/**
 * The same for the runtime that answers.
 *
 * @param attempt What the error begins with, such as `Creating the handler`.
 * @throws {RuntimeError} `validation_error`
 */
export function assertRuntime(
  attempt: string,
  given: { readonly runtime?: unknown } | null | undefined,
): void {
  const runtime = given?.runtime as Partial<AgentRuntime> | null | undefined // looked at below
  if (typeof runtime?.settings === 'object') return
  throw new RuntimeError(
    'validation_error',
    `${attempt} failed: runtime must be a runtime, as createRuntime() gives it.`,
  )
}

/** Whether it came several times, joined by commas: which token was meant cannot be told. */
const isRepeated = (header: string) => /^Bearer +[^,]*,|, *Bearer +/i.test(header)

/** Takes the same time whatever differs: digests have one length. */
function isSame(given: string, expected: string): boolean {
  return timingSafeEqual(digest(given), digest(expected))
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
