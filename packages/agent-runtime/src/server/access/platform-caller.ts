import type { Allowance, TokenScope } from '@homeward/contract'
import type { AccessToken, JsonObject } from '@homeward/contract/agent-platform'
import { HttpError } from '@homeward/contract/handler'

/** Who calls, and what the caller may do (A26). */
export interface PlatformCaller {
  /** As the audit names it. */
  readonly actor: string
  readonly scopes: readonly TokenScope[]
  /** The only agents that the caller reaches. Absent: all. */
  readonly agents?: readonly string[]
  /** The only user that the caller acts for. Absent: any. */
  readonly userId?: string
  /** Fields of requests that a caller with a `userId` may set. @default none */
  readonly allow?: readonly Allowance[]
  /** What its runs have as metadata, over those of the request. @default nothing */
  readonly metadata?: JsonObject
  /** When its token expires. Absent: never. */
  readonly expiresAt?: string
}

const everything: readonly TokenScope[] = ['admin']

/** A caller of a server that needs no token. */
export const localCaller: PlatformCaller = { actor: 'local', scopes: everything }

/** The first administrator: who has `API_TOKEN`, or the token of the host. */
export const firstAdministrator: PlatformCaller = { actor: 'api_token', scopes: everything }

/** A caller that the app has let in itself. */
export const appCaller: PlatformCaller = { actor: 'app', scopes: everything }

/** The caller with an access token. */
export function toTokenCaller({
  name,
  scopes,
  agents,
  user_id: userId,
  allow,
  expires_at: expiresAt,
}: AccessToken): PlatformCaller {
  return {
    actor: `token:${name}`,
    scopes,
    ...(agents && { agents }),
    ...(userId !== undefined && { userId }),
    ...(allow && { allow }),
    ...(expiresAt !== undefined && { expiresAt }),
  }
}

/** No scope implies another one, but `admin` includes all. `any`: each call that is made in its place is checked by itself. */
export function hasScope({ scopes }: PlatformCaller, scope: TokenScope | 'any'): boolean {
  return scope === 'any' || scopes.includes(scope) || scopes.includes('admin')
}

/** Whether the caller reaches a part of the agents or the users only. */
export const isLimited = ({ agents, userId }: PlatformCaller) => agents !== undefined || userId !== undefined

/** 403 for a caller of one user: about things that belong to nobody, and about other users. */
export const notOfUser = (what: string) =>
  forbidden(`${what} is not allowed for a caller who acts for one user.`)

/** 403 with the code `forbidden`. */
export function forbidden(message: string): HttpError {
  return new HttpError(403, { error: 'Forbidden', code: 'forbidden', message })
}

/** 403 that names the missing scope. */
export const scopeMissing = (scope: TokenScope | 'any') =>
  forbidden(`The access token lacks the scope "${scope}". Use a token with this scope.`)

/** Whether a caller that is looked up again still has a scope. A look-up that fails for another reason says nothing. */
export async function keepsAccess(
  again: Promise<PlatformCaller>,
  scope: TokenScope | 'any',
): Promise<boolean> {
  try {
    return hasScope(await again, scope)
  } catch (error) {
    return !(error instanceof HttpError)
  }
}
