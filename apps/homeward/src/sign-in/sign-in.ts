import type { IncomingMessage } from 'node:http'
import * as z from 'zod'
import type { Pages } from '../dashboard/pages.ts'
import type { CloudSettings } from '../settings/cloud-settings.ts'
import { readCookie, toSetCookie } from './cookies.ts'
import {
  createIdentityProvider,
  type IdentityProvider,
  SignInFailure,
  type SignInProblem,
} from './identity-provider.ts'
import { createPageSessions, type ListAgents, pageHeader, type PageSessions } from './page-sessions.ts'
import { originOf } from './request-origin.ts'
import { createSeal, type Seal } from './seal.ts'
import { randomBytes } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** What the pages know about signing in at the identity provider. */
interface SignInFacts {
  /** Of the provider, for the button. */
  readonly name: string
  /**
   * The person who has signed in. The pages of agents show for administrators, and those of their own for people whom an
   * agent allows; for everybody if no administrators are named.
   */
  readonly user?: {
    readonly id: string
    readonly name: string
    readonly mayUseAgents: boolean
    readonly isAdmin: boolean
  }
}

/** Signing in at the identity provider, on both ports. */
export interface SignIn {
  readonly sessions: PageSessions
  /** Addresses below `/sign-in/`, and `POST /sign-out`. */
  readonly pages: Pages
  facts(caller: IncomingMessage | undefined): Promise<SignInFacts>
  /** Gives the agents, once there are some: they say who may use them. */
  follow(listAgents: ListAgents): void
}

/** Opens signing in, if the settings have a client of the identity provider. */
export async function openSignIn(
  { oidc, publicUrl }: Pick<CloudSettings, 'oidc' | 'publicUrl'>,
  home: string,
): Promise<SignIn | undefined> {
  if (oidc?.signIn === undefined) return undefined
  const { signIn } = oidc
  const seal = createSeal(signIn.sessionSecret ?? (await readSessionSecret(home)))
  const sessions = createPageSessions({ seal, admins: signIn.admins, publicUrl })
  const provider = createIdentityProvider(signIn)
  const hasAdmins = signIn.admins.length > 0
  let listAgents: ListAgents = async () => []
  return {
    sessions,
    pages: createSignInPages({ provider, sessions, seal, publicUrl }),
    follow(list) {
      listAgents = list
    },
    async facts(caller) {
      if (caller) sessions.admit(caller, true)
      const found = caller && sessions.find(caller.headers)
      if (!found) return { name: signIn.name }
      const { userId: id, name } = found
      const isAdmin = found.isAdmin || !hasAdmins
      const mayUseAgents = isAdmin || (await sessions.agentsOf(found, listAgents)).length > 0
      return { name: signIn.name, user: { id, name, mayUseAgents, isAdmin } }
    },
  }
}

/** What {@link createSignInPages} is built from. */
interface SignInPagesOptions {
  readonly provider: IdentityProvider
  readonly sessions: PageSessions
  readonly seal: Seal
  readonly publicUrl: string | undefined
}

const cookieName = 'homeward-sign-in'
/** How long a person may take at the provider. */
const lastsSeconds = 10 * 60
/** Sign-ins that a browser may begin before it completes one. The cookies of more would fill the headers of each request. */
const maxBegun = 5
/** Longest path to lead back to: a cookie has room for 4,096 bytes. */
const maxPath = 1000

/** A sign-in that has begun. The browser keeps it, sealed. */
const Begun = z.object({
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  /** Page to show afterwards. */
  to: z.string(),
  endsAtMs: z.number(),
})
type Begun = z.infer<typeof Begun>

/** The addresses for a sign-in, which the server completes: no token is part of a URL or visible to scripts. */
export function createSignInPages({ provider, sessions, seal, publicUrl }: SignInPagesOptions): Pages {
  const placeOf = (request: Request) => originOf(Object.fromEntries(request.headers), publicUrl)

  async function start(request: Request): Promise<Response> {
    const origin = placeOf(request)
    const to = toPath(new URL(request.url).searchParams.get('to'))
    try {
      const { url, ...expected } = await provider.start(`${origin}/sign-in/callback`)
      const begun: Begun = { ...expected, to, endsAtMs: Date.now() + lastsSeconds * 1000 }
      const options = { origin, maxAgeSeconds: lastsSeconds }
      const begunBefore = request.headers.get('cookie')?.match(begunCookie) ?? []
      const forgotten = begunBefore.length < maxBegun ? [] : begunBefore
      return redirect(url, [
        ...forgotten.map((cookie) => toSetCookie(cookie, '', { origin, maxAgeSeconds: 0 })),
        toSetCookie(cookieOf(begun.state), seal.seal('sign-in', begun), options),
      ])
    } catch (error) {
      return redirect(failurePage(problemOf(error), to))
    }
  }

  async function complete(request: Request): Promise<Response> {
    const origin = placeOf(request)
    const { search, searchParams } = new URL(request.url)
    const cookie = cookieOf(searchParams.get('state') ?? '')
    const forget = toSetCookie(cookie, '', { origin, maxAgeSeconds: 0 })
    const begun = Begun.safeParse(
      seal.open('sign-in', readCookie(request.headers.get('cookie') ?? undefined, cookie, origin) ?? ''),
    ).data
    if (begun === undefined || begun.endsAtMs <= Date.now()) return redirect(failurePage('expired', '/'))
    try {
      const person = await provider.redeem(new URL(`${origin}/sign-in/callback${search}`), begun)
      return redirect(begun.to, [forget, sessions.start(person, origin)])
    } catch (error) {
      return redirect(failurePage(problemOf(error), begun.to), [forget])
    }
  }

  async function signOut(request: Request): Promise<Response> {
    if (!request.headers.has(pageHeader)) return Response.json({ error: 'Forbidden' }, { status: 403 })
    const origin = placeOf(request)
    const cookie = sessions.end(request.headers, origin)
    // Whether the provider answers or not, the person is signed out here.
    const location = (await provider.endSessionUrl(`${origin}/`).catch(() => undefined)) ?? '/'
    return Response.json({ location }, { headers: { 'set-cookie': cookie, 'cache-control': 'no-store' } })
  }

  return { '/sign-in/start': start, '/sign-in/callback': complete, 'POST /sign-out': signOut }
}

/** Each sign-in has a cookie of its own: two tabs do not disturb each other. */
const cookieOf = (state: string) => `${cookieName}-${/^[\w-]{8}/.exec(state)?.[0] ?? 'unknown'}`
const begunCookie = new RegExp(String.raw`${cookieName}-[\w-]+(?==)`, 'g')

/** A path of this server. Anything else would lead a person who has just signed in to another site. */
function toPath(given: string | null): string {
  const url = URL.parse(given ?? '/', 'http://server.invalid')
  if (url?.origin !== 'http://server.invalid' || url.pathname.startsWith('//')) return '/'
  const path = url.pathname + url.search + url.hash
  return path.length > maxPath ? '/' : path
}

const failurePage = (problem: SignInProblem, to: string) => `/sign-in?${new URLSearchParams({ problem, to })}`

function problemOf(error: unknown): SignInProblem {
  console.error('sign-in:', error instanceof SignInFailure ? error.message : error)
  return error instanceof SignInFailure ? error.problem : 'rejected'
}

function redirect(location: string, cookies: readonly string[] = []): Response {
  const headers = new Headers({ location, 'cache-control': 'no-store' })
  for (const cookie of cookies) headers.append('set-cookie', cookie)
  return new Response(null, { status: 303, headers })
}

/** Reads the secret of `session-secret` in the data home. The first start creates it, for its owner only. */
export async function readSessionSecret(home: string): Promise<string> {
  const path = join(home, 'session-secret')
  await mkdir(home, { recursive: true, mode: 0o700 })
  // Of two servers that start at once, one creates the file and both read it.
  await writeFile(path, randomBytes(32).toString('hex'), { mode: 0o600, flag: 'wx' }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    },
  )
  const secret = await readFile(path, 'utf8')
  if (/^[0-9a-f]{64}$/.test(secret)) return secret
  throw new Error(
    `Starting the server failed: ${path} is incomplete. Delete the file; everybody then signs in again.`,
  )
}
