import { createLocalSessions, type Sessions } from '@homeward/cloud-core'
import type { CloudSettings } from '../settings/cloud-settings.ts'

/** Who users are: those of the identity provider, or, without one, a single user on this machine. */
export async function openSessions(oidc: CloudSettings['oidc']): Promise<Sessions> {
  if (oidc === undefined) return createLocalSessions()
  const { createOidcSessions } = await import('@homeward/cloud-core/oidc')
  const { issuer, audience, clients } = oidc
  return createOidcSessions({
    issuer,
    audience,
    ...(clients !== undefined && { authorizedParties: clients }),
    onRejected: (reason) => console.error(`cloud: a token was refused: ${reason}`),
    onError: (error) => console.error('cloud: the identity provider failed:', error),
  })
}
