import { expect, it } from 'vitest'
import type { IdentityProvider } from './identity-provider.ts'
import { createPageSessions } from './page-sessions.ts'
import { createSeal } from './seal.ts'
import { createSignInPages } from './sign-in.ts'

const seal = createSeal('a secret of the server, long enough')
const sessions = createPageSessions({ seal, admins: [], publicUrl: undefined })

/** A browser that begins sign-ins at a server, and keeps its cookies. */
function createBrowser(origin: string) {
  let count = 0
  const provider = {
    start: async () => {
      const state = `state-${(count += 1)}-`.padEnd(43, 'x')
      return { url: 'https://id.example/', state, nonce: 'n'.repeat(43), verifier: 'v'.repeat(43) }
    },
  } as unknown as IdentityProvider // what beginning asks of one
  const pages = createSignInPages({ provider, sessions, seal, publicUrl: origin })
  const cookies = new Map<string, string>()
  return {
    cookies,
    async begin(to: string) {
      const headers = {
        host: new URL(origin).host,
        cookie: [...cookies].map((each) => each.join('=')).join('; '),
      }
      const url = `${origin}/sign-in/start?${new URLSearchParams({ to })}`
      const answer = await pages['/sign-in/start']!(new Request(url, { headers }))
      for (const header of answer.headers.getSetCookie()) {
        const [, name, value] = /^([^=]+)=([^;]*)/.exec(header)!
        if (header.includes('Max-Age=0')) cookies.delete(name!)
        else cookies.set(name!, value!)
      }
    },
  }
}

it.each(['http://127.0.0.1:3000', 'https://cloud.example'])(
  'keeps the cookies of the last sign-ins that were begun at %s, and room for other headers',
  async (origin) => {
    const browser = createBrowser(origin)
    for (let count = 1; count <= 5; count += 1) await browser.begin(`/runs?q=${'ä'.repeat(100)}`)
    expect(browser.cookies.size).toBe(5)
    expect([...browser.cookies].join('').length).toBeLessThan(8192)
    await browser.begin('/runs')
    expect([...browser.cookies.keys()].join()).toMatch(/homeward-sign-in-state-6-$/)
    expect(browser.cookies.size).toBe(1)
  },
)

it.each([
  [999, 1000],
  [1000, 1],
])('leads back to a path of %d characters behind the slash by one of %d', async (given, kept) => {
  const browser = createBrowser('http://127.0.0.1:3000')
  await browser.begin(`/${'x'.repeat(given)}`)
  const [[name, value] = ['', '']] = browser.cookies
  expect(`${name}=${value}`.length).toBeLessThan(4096)
  expect((seal.open('sign-in', value) as { to: string }).to).toHaveLength(kept)
})
