import type { IncomingMessage } from 'node:http'
import { expect, it } from 'vitest'
import { createPageSessions, type PageSessionsOptions, type Person } from './page-sessions.ts'
import { createSeal } from './seal.ts'

const origin = 'https://cloud.example'
const ann: Person = { userId: 'https://id.example#1', subject: '1', name: 'Ann', email: 'Ann@example.com' }
const seal = createSeal('a secret of the server, long enough')

let nowMs: number
function create(options: Partial<PageSessionsOptions> = {}) {
  nowMs = Date.parse('2026-01-01')
  return createPageSessions({ seal, admins: [], publicUrl: undefined, now: () => nowMs, ...options })
}

const cookieIn = (header: string) => header.split(';', 1)[0]!

function toRequest(cookie: string, headers: Readonly<Record<string, string>> = {}, method = 'GET') {
  const own = { host: 'cloud.example', 'x-forwarded-proto': 'https', cookie }
  return { method, headers: { ...own, ...headers } } as unknown as IncomingMessage // what is read of one
}

it('sets a cookie that scripts cannot read, and with https no other host can set', () => {
  const sessions = create()
  expect(sessions.start(ann, origin)).toMatch(
    /^__Host-homeward-session=[\w-]+; Path=\/; Max-Age=43200; HttpOnly; SameSite=Lax; Secure$/,
  )
  expect(sessions.start(ann, 'http://127.0.0.1:3000')).toMatch(
    /^homeward-session=[\w-]+; Path=\/; Max-Age=43200; HttpOnly; SameSite=Lax$/,
  )
})

it('ends a session after twelve hours, also for a request that was admitted before', () => {
  const sessions = create()
  const cookie = cookieIn(sessions.start(ann, origin))
  const request = toRequest(cookie)
  sessions.admit(request, true)
  expect(sessions.find(request.headers)?.name).toBe('Ann')
  nowMs += 12 * 60 * 60 * 1000
  expect(sessions.find(request.headers)).toBeUndefined()
  const late = toRequest(cookie)
  sessions.admit(late, true)
  expect(late.headers).not.toHaveProperty('x-homeward-session')
})

it('ends a session that is signed out, with all copies of its cookie', () => {
  const sessions = create()
  const cookie = cookieIn(sessions.start(ann, origin))
  const request = toRequest(cookie)
  sessions.admit(request, true)
  expect(sessions.end(new Headers({ cookie }), origin)).toContain('Max-Age=0')
  expect(sessions.find(request.headers)).toBeUndefined()
})

const reads: readonly (readonly [string, Readonly<Record<string, string>>, boolean])[] = [
  ['of a page of this server', { 'sec-fetch-site': 'same-origin' }, true],
  ['that a person opens', { 'sec-fetch-site': 'none' }, true],
  ['of a browser without Sec-Fetch-Site', {}, true],
  ['of a page of the same domain', { 'sec-fetch-site': 'same-site' }, false],
  ['of a foreign page', { 'sec-fetch-site': 'cross-site' }, false],
  [
    'of a page, through a proxy that sends the port',
    { host: 'Cloud.example:443', 'x-forwarded-proto': 'HTTPS', origin },
    true,
  ],
  ['with a foreign origin', { origin: 'https://evil.example' }, false],
  ['over http, with the origin of https', { 'x-forwarded-proto': 'http' }, false],
  ['that wants a WebSocket, without an origin', { upgrade: 'websocket' }, false],
  ['that wants a WebSocket, of a page of this server', { upgrade: 'websocket', origin }, true],
  [
    'that wants a WebSocket, of a foreign page',
    { upgrade: 'websocket', origin: 'https://evil.example' },
    false,
  ],
]
it.each(reads)('admits the session of a read %s: %o, %s', (_, headers, isAdmitted) => {
  const sessions = create()
  const request = toRequest(cookieIn(sessions.start(ann, origin)), headers)
  sessions.admit(request, true)
  expect(sessions.find(request.headers) !== undefined).toBe(isAdmitted)
})

const writes: readonly (readonly [string, Readonly<Record<string, string>>, boolean])[] = [
  ['of a page of this server', { origin, 'homeward-page': '1' }, true],
  ['of a form of this server', { origin }, false],
  ['that names a protocol to change to', { origin, upgrade: 'websocket' }, false],
  ['of a foreign page', { origin: 'https://evil.example', 'homeward-page': '1' }, false],
  ['of a sandboxed frame', { origin: 'null', 'homeward-page': '1' }, false],
  ['without an origin', { 'homeward-page': '1' }, false],
  ['of another site', { origin, 'homeward-page': '1', 'sec-fetch-site': 'cross-site' }, false],
  ['that a person opens', { origin, 'homeward-page': '1', 'sec-fetch-site': 'none' }, false],
]
it.each(writes)('admits the session of a write %s: %o, %s', (_, headers, isAdmitted) => {
  const sessions = create()
  const request = toRequest(cookieIn(sessions.start(ann, origin)), headers, 'POST')
  sessions.admit(request, true)
  expect(sessions.find(request.headers) !== undefined).toBe(isAdmitted)
})

it('removes a header that a caller has set, and admits nobody at the documented addresses', () => {
  const sessions = create()
  const cookie = cookieIn(sessions.start(ann, origin))
  const sealed = cookie.split('=')[1]!
  const documented = toRequest(cookie, { 'x-homeward-session': sealed })
  sessions.admit(documented, false)
  expect(sessions.find(documented.headers)).toBeUndefined()
  const foreign = toRequest('', { 'x-homeward-session': sealed, 'sec-fetch-site': 'cross-site' })
  sessions.admit(foreign, true)
  expect(sessions.find(foreign.headers)).toBeUndefined()
})

const people: readonly (readonly [string, Partial<Person>, boolean])[] = [
  ['1', {}, true],
  ['2', {}, false],
  ['ann@EXAMPLE.com', {}, true],
  ['ann@example.com', { email: undefined }, false],
  ['https://id.example#1', {}, false],
]
it.each(people)(
  'recognizes an administrator by subject or verified e-mail: %s, %o, %s',
  async (name, more, isAdmin) => {
    const sessions = create({ admins: [name] })
    const request = toRequest(cookieIn(sessions.start({ ...ann, ...more }, origin)))
    sessions.admit(request, true)
    const view = { header: (key: string) => request.headers[key] } as never
    const grant = await sessions.recognize(view, () => Promise.resolve([]))
    expect(grant?.scopes).toEqual(isAdmin ? ['admin'] : undefined)
  },
)

it('lets a person who is not an administrator use the agents that allow this person, as one user', async () => {
  const listAgents = () =>
    Promise.resolve([
      { id: 'all', users: 'everyone' as const },
      { id: 'by-subject', users: ['1'] },
      { id: 'by-address', users: ['ANN@example.com'] },
      { id: 'others', users: ['2', 'bob@example.com'] },
      { id: 'nobody' },
    ])
  const grantOf = async (admins: readonly string[], more: Partial<Person> = {}) => {
    const sessions = create({ admins })
    const request = toRequest(cookieIn(sessions.start({ ...ann, ...more }, origin)))
    sessions.admit(request, true)
    const view = { header: (key: string) => request.headers[key] } as never
    return sessions.recognize(view, listAgents)
  }
  expect(await grantOf(['9'])).toEqual({
    scopes: ['read', 'run', 'approve'],
    userId: '1',
    agents: ['all', 'by-subject', 'by-address'],
    actor: 'user:Ann@example.com',
  })
  expect((await grantOf(['9'], { subject: '3', email: undefined }))?.agents).toEqual(['all'])
  expect(await grantOf([])).toBeUndefined()
  expect(await grantOf(['1'])).toMatchObject({ scopes: ['admin'] })
})
