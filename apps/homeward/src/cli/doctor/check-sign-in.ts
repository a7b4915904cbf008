import { isLoopback, type Settings } from '../../settings/settings.ts'
import { createIdentityProvider, SignInFailure } from '../../sign-in/identity-provider.ts'
import { error, warning, type Checked, type Finding } from './finding.ts'

/** Checks that people can sign in at the identity provider. Nothing without a client of one. */
export async function checkSignIn({ cloud, dashboard }: Settings): Promise<Checked[]> {
  const signIn = cloud.oidc?.signIn
  if (signIn === undefined) return []
  const findings: Finding[] = []
  try {
    await createIdentityProvider(signIn).check()
  } catch (cause) {
    if (!(cause instanceof SignInFailure)) throw cause
    findings.push(error(`Nobody can sign in at ${signIn.issuer}: ${cause.fact}`, cause.fix))
  }
  if (!dashboard) {
    const fix = 'Leave DASHBOARD unset, or remove OIDC_CLIENT_ID.'
    findings.push(warning('Nobody can sign in, because DASHBOARD=off serves no pages.', fix))
  }
  const publicUrl = cloud.publicUrl === undefined ? undefined : new URL(cloud.publicUrl)
  if (publicUrl?.protocol === 'http:' && !isLoopback(publicUrl.hostname)) {
    const fix = 'Put a proxy that ends TLS in front, and set CLOUD_PUBLIC_URL to its https:// address.'
    findings.push(
      warning('Sessions of the pages can be read on their way: CLOUD_PUBLIC_URL is not https.', fix),
    )
  }
  return [{ name: 'Sign-in', about: signIn.issuer, findings }]
}
