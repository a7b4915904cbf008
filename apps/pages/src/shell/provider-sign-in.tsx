import { useQueryClient } from '@tanstack/react-query'
import { LogIn } from 'lucide-react'
import { useEffect, useEffectEvent } from 'react'
import { cloudToken, platformToken } from '../api/access-token.ts'
import { hasPageUser, serverFacts, useServerFacts } from '../api/server-facts.ts'
import '../components/buttons/button.css'
import { LinkButton } from '../components/buttons/link-button.tsx'
import { Notice } from '../components/states/notice.tsx'
import { signInPath } from '../navigation/sections.ts'

/** Why a sign-in at the identity provider failed, as the server says in the address. */
const problems = {
  unreachable: 'The identity provider does not answer. Try again in a moment.',
  denied: 'The identity provider did not let you in. Ask its administrator for access.',
  expired: 'The sign-in took too long, or was completed before. Try again.',
  setup:
    'The server and the identity provider do not fit together. The log of the server says which setting to correct.',
  rejected: 'The server rejected the answer of the identity provider. The log of the server says why.',
}

const isKnown = (problem: string): problem is keyof typeof problems => Object.hasOwn(problems, problem)

/** Leads to the identity provider. */
export function ProviderSignIn({ onSignedIn }: { readonly onSignedIn: () => void }) {
  const { name = '', user } = useServerFacts()?.signIn ?? {}
  const given = location.pathname === signInPath ? new URLSearchParams(location.search) : undefined
  const to = given ? given.get('to') : location.pathname + location.search + location.hash
  const problem = given?.get('problem') ?? undefined
  useReturn(onSignedIn)
  if (user && !given) {
    return (
      <>
        <p>
          You are signed in as <strong>{user.name}</strong>, who may not use this page. An administrator can
          name you in <code>OIDC_ADMINS</code>.
        </p>
        <LinkButton href="/devices">Devices</LinkButton>
      </>
    )
  }
  // A page with unsaved work stays as it is, below this window.
  const opensTab = hasPageUser()
  return (
    <>
      {problem !== undefined && (
        <Notice tone="bad">{problems[isKnown(problem) ? problem : 'rejected']}</Notice>
      )}
      {opensTab && !given && (
        <p>Your session has ended. Sign in again in a new tab, and come back to this one.</p>
      )}
      {/* Not a link of the application: the server answers this address. */}
      <a
        className="button"
        data-variant="primary"
        href={`/sign-in/start?${new URLSearchParams({ to: to ?? '/' })}`}
        {...(opensTab && !given && { target: '_blank' })}
      >
        <LogIn aria-hidden />
        Sign in with {name}
      </a>
    </>
  )
}

/** Notices that the person has signed in, in another tab. */
function useReturn(onSignedIn: () => void): void {
  const queries = useQueryClient()
  const finish = useEffectEvent((isSamePerson: boolean) => {
    if (!isSamePerson) return location.reload()
    for (const token of [platformToken, cloudToken]) token.retry()
    onSignedIn()
  })
  useEffect(() => {
    const wasSignedIn = hasPageUser()
    let isSignedOut = false
    async function look(): Promise<void> {
      const { signIn } = await queries.fetchQuery({ ...serverFacts, staleTime: 0 })
      if (signIn?.user === undefined) isSignedOut = true
      else if (isSignedOut) finish(wasSignedIn)
    }
    const lookQuietly = () => void look().catch(() => {}) // the page says that the server does not answer
    lookQuietly()
    window.addEventListener('focus', lookQuietly)
    document.addEventListener('visibilitychange', lookQuietly)
    return () => {
      window.removeEventListener('focus', lookQuietly)
      document.removeEventListener('visibilitychange', lookQuietly)
    }
  }, [queries])
}
