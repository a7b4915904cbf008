import { createLocalSessions, type Sessions } from '@homeward/cloud-core'
import type { CloudSettings } from '../settings/cloud-settings.ts'
import { openSignIn, type SignIn } from '../sign-in/sign-in.ts'

/**
 * Opens the sessions of users, and signing in on the pages.
 *
 * @param hasPages without pages, nobody can sign in
 */
export async function openUsers(
  { oidc, publicUrl }: Pick<CloudSettings, 'oidc' | 'publicUrl'>,
  { home, hasPages }: { readonly home: string; readonly hasPages: boolean },
): Promise<{ readonly sessions: Sessions; readonly signIn: SignIn | undefined }> {
  const tokens = await openSessions(oidc)
  const signIn = hasPages ? await openSignIn({ oidc, publicUrl }, home) : undefined
  return { sessions: signIn?.sessions.wrap(tokens) ?? tokens, signIn }
}

/** Who users are: those of the identity provider, or, without one, a single user on this machine. */
async function openSessions(oidc: CloudSettings['oidc']): Promise<Sessions> {
  if (oidc === undefined) return createLocalSessions()
  // People sign in on the pages; programs use API tokens.
  if (oidc.audience === undefined) return { resolve: () => null }
  const { createOidcSessions } = await import('@homeward/cloud-core/oidc')
  const { issuer, audience, clients } = oidc
  return createOidcSessions({
    issuer,
    audience,
    ...(clients !== undefined && { authorizedParties: clients }),
    onRejected: (reason) => console.error(`cloud: a token was rejected: ${reason}`),
    onError: (error) => console.error('cloud: the identity provider failed:', error),
  })
}
