import type { NewAccessToken } from '@homeward/contract/agent-platform'
import { forbidden, hasScope, type PlatformCaller } from './platform-caller.ts'

/**
 * The token that a caller may create: with no scope that it lacks, and not for longer than its own token (A26). Callers who
 * are limited to agents or to a user create none at all.
 *
 * @throws {HttpError} 403 for what the caller cannot give away.
 */
export function boundToken(
  wanted: NewAccessToken,
  caller: Pick<PlatformCaller, 'actor' | 'scopes' | 'expiresAt'>,
): NewAccessToken {
  const lacking = wanted.scopes.filter((scope) => !hasScope(caller, scope))
  if (lacking.length > 0)
    throw forbidden(
      `Creating a token failed: its creator lacks the scopes ${lacking.join(', ')}. Leave them out.`,
    )
  const { expiresAt } = caller
  if (expiresAt === undefined) return wanted
  if (wanted.expires_at === undefined) return { ...wanted, expires_at: expiresAt }
  if (Date.parse(wanted.expires_at) <= Date.parse(expiresAt)) return wanted
  throw forbidden(
    `Creating a token failed: "expires_at" must be at or before ${expiresAt}, when the creating token expires. Choose an earlier time.`,
  )
}
