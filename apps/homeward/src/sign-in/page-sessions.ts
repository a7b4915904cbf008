import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Sessions } from '@homeward/cloud-core'
import type { PlatformGrant } from '@homeward/agent-runtime/server'
import type { Agent } from '@homeward/contract/agent-platform'
import type { RequestView } from '@homeward/contract/handler'
import * as z from 'zod'
import { readCookie, toSetCookie } from './cookies.ts'
import { originOf } from './request-origin.ts'
import type { Seal } from './seal.ts'

/** A person whom the identity provider has signed in. */
export const Person = z.object({
  /** `<iss>#<sub>`, as for the provider's access tokens (C23). */
  userId: z.string().min(1).max(512),
  subject: z.string(),
  /** Shown on the pages. */
  name: z.string(),
  /** Only an address that the provider has verified. */
  email: z.string().optional(),
})
export type Person = z.infer<typeof Person>

const Session = Person.extend({ id: z.string(), endsAtMs: z.number() })
type Session = z.infer<typeof Session>

/** The agents with the people who may use them. */
export type ListAgents = () => Promise<readonly Pick<Agent, 'id' | 'users'>[]>

/** Whether an agent allows a person. E-mail addresses are compared without regard to case. */
function mayUse(users: Agent['users'] = [], { subject, email }: Person): boolean {
  if (users === 'everyone') return true
  return users.some((name) => name === subject || name.toLowerCase() === email?.toLowerCase())
}

/** Sessions of people on the pages: each is a sealed cookie, and nothing is stored on the server. */
export interface PageSessions {
  /** Starts a session. @returns the header `Set-Cookie` */
  start(person: Person, origin: string): string
  /** Ends the session of a request, also for whoever has copied the cookie. @returns the header `Set-Cookie` */
  end(headers: Headers, origin: string): string
  /**
   * Replaces the cookie of a request by an internal header, if the request comes from a page of this server. Without a
   * valid session, the header is removed, whoever set it.
   *
   * @param isForPages whether the request is for an address below the prefixes of the pages
   */
  admit(request: IncomingMessage, isForPages: boolean): void
  /** The person of an admitted request, and whether the person may administer agents. */
  find(headers: Readonly<Record<string, unknown>>): (Person & { readonly isAdmin: boolean }) | undefined
  /** Ids of the agents that allow a person. */
  agentsOf(person: Person, listAgents: ListAgents): Promise<readonly string[]>
  /**
   * Recognizes administrators, for the agent platform, and other people as users of the agents that allow them.
   *
   * @param listAgents the agents with the people who may use them
   */
  recognize(request: RequestView, listAgents: ListAgents): Promise<PlatformGrant | undefined>
  /** Sessions of the device cloud that recognize everybody who has signed in. */
  wrap(sessions: Sessions): Sessions
}

/** How sessions are made. */
export interface PageSessionsOptions {
  readonly seal: Seal
  /** Subjects and e-mail addresses of those who may administer agents. */
  readonly admins: readonly string[]
  readonly publicUrl: string | undefined
  /** Milliseconds since 1970. @default Date.now */
  readonly now?: () => number
}

const cookieName = 'homeward-session'
const sessionHeader = 'x-homeward-session'
/** Sent by the pages with each request. Neither a form nor a script of another origin can send it. */
export const pageHeader = 'homeward-page'
const lastsSeconds = 12 * 60 * 60

/** Creates the sessions. */
export function createPageSessions(options: PageSessionsOptions): PageSessions {
  const { seal, publicUrl, now = Date.now } = options
  const subjects = new Set(options.admins)
  const emails = new Set(options.admins.map((name) => name.toLowerCase()))
  /** Sessions that were signed out, until they would have ended: a copy of their cookie is not valid either. */
  const ended = new Map<string, number>()

  function open(text: unknown): Session | undefined {
    if (typeof text !== 'string') return undefined
    const { success, data } = Session.safeParse(seal.open('session', text))
    return success && data.endsAtMs > now() && !ended.has(data.id) ? data : undefined
  }

  const isAdmin = ({ subject, email }: Session) =>
    subjects.has(subject) || (email !== undefined && emails.has(email.toLowerCase()))

  const agentsOf = async (person: Person, listAgents: ListAgents) =>
    (await listAgents()).filter(({ users }) => mayUse(users, person)).map(({ id }) => id)

  return {
    agentsOf,
    start(person, origin) {
      const session: Session = { ...person, id: randomUUID(), endsAtMs: now() + lastsSeconds * 1000 }
      return toSetCookie(cookieName, seal.seal('session', session), { origin, maxAgeSeconds: lastsSeconds })
    },
    end(headers, origin) {
      const session = open(readCookie(headers.get('cookie') ?? undefined, cookieName, origin))
      for (const [id, endsAtMs] of ended) if (endsAtMs <= now()) ended.delete(id)
      if (session) ended.set(session.id, session.endsAtMs)
      return toSetCookie(cookieName, '', { origin, maxAgeSeconds: 0 })
    },
    admit(request, isForPages) {
      const { headers } = request
      delete headers[sessionHeader]
      if (!isForPages || headers.cookie === undefined) return
      const origin = originOf(headers, publicUrl)
      const text = readCookie(headers.cookie, cookieName, origin)
      if (text !== undefined && isFromOwnPage(request, origin) && open(text)) headers[sessionHeader] = text
    },
    find(headers) {
      const session = open(headers[sessionHeader])
      return session && { ...session, isAdmin: isAdmin(session) }
    },
    async recognize(request, listAgents) {
      const session = open(request.header(sessionHeader))
      if (session === undefined) return undefined
      const actor = `user:${session.email ?? session.subject}`
      if (isAdmin(session)) return { scopes: ['admin'], actor }
      // without administrators, signing in says nothing about agents
      if (options.admins.length === 0) return undefined
      const agents = await agentsOf(session, listAgents)
      if (agents.length === 0) return undefined
      return { scopes: ['read', 'run', 'approve'], userId: session.subject, agents, actor }
    },
    wrap: (sessions) => ({
      resolve(request) {
        const session = open(request.header(sessionHeader))
        return session ? { userId: session.userId } : sessions.resolve(request)
      },
    }),
  }
}

/**
 * Whether a page of this server has sent the request. Browsers send `Origin` with every write and every WebSocket, and
 * `Sec-Fetch-Site` with everything over https and on loopback. Reads without both are safe: foreign pages cannot see the
 * answers, and reads change nothing.
 */
function isFromOwnPage({ method, headers }: IncomingMessage, origin: string): boolean {
  const wantsSocket = method === 'GET' && headers.upgrade !== undefined
  const isRead = (method === 'GET' || method === 'HEAD') && !wantsSocket
  const site = headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin' && !(isRead && site === 'none')) return false
  if (headers.origin !== undefined && headers.origin !== origin) return false
  if (isRead) return true
  return headers.origin !== undefined && (wantsSocket || pageHeader in headers)
}
