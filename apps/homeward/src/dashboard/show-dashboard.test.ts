import { gzipSync } from 'node:zlib'
import { createAccessGuard } from '@homeward/contract/handler'
import { describe, expect, it } from 'vitest'
import type { Dashboard, DashboardState } from './dashboard.ts'
import { answerPage, type PageOptions } from './pages.ts'

const file = (text: string, contentType: string) => ({
  content: Buffer.from(text),
  gzipped: gzipSync(text),
  contentType,
  etag: `"${text.length}"`,
})
const files = new Map([
  ['/index.html', file('<p>the pages</p>', 'text/html; charset=utf-8')],
  ['/other.html', file('<p>other</p>', 'text/html; charset=utf-8')],
  ['/assets/a-1b2c.js', file('export {}', 'text/javascript; charset=utf-8')],
])

function ask(path: string, init: RequestInit = {}, state: DashboardState = { kind: 'ready', files }) {
  const dashboard: Dashboard = { state: () => state, settled: Promise.resolve(), async close() {} }
  const options: PageOptions = {
    pages: { '/openapi.json': () => Response.json({}) },
    dashboard,
    guard: createAccessGuard({ hosts: ['127.0.0.1:3000'] }),
    errorBody: ({ body }) => body,
  }
  const headers = { host: '127.0.0.1:3000', ...init.headers }
  return answerPage(new Request(`http://127.0.0.1:3000${path}`, { ...init, headers }), options)
}

const html = { headers: { accept: 'text/html,*/*;q=0.8' } }

describe('the pages of a server', () => {
  it('shows the page at / for everybody, and at every other address for a browser that opens it', async () => {
    expect(await (await ask('/')).text()).toBe('<p>the pages</p>')
    expect(await (await ask('/devices/some-id?tab=files', html)).text()).toBe('<p>the pages</p>')
    expect((await ask('/devices/some-id')).status).toBe(404)
    expect((await ask('/other.html')).status).toBe(404)
  })

  it('finds a document with a slash behind it too, as the API does', async () => {
    for (const path of ['/openapi.json', '/openapi.json/']) expect((await ask(path)).status).toBe(200)
    for (const path of ['/openapi.json//', '//openapi.json']) expect((await ask(path)).status).toBe(404)
  })

  it('lets nothing run, load or frame that is not its own, errors included', async () => {
    for (const path of ['/', '/assets/a-1b2c.js', '/nothing', '/openapi.json']) {
      const { headers } = await ask(path)
      expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'; script-src 'self'; /)
      expect(headers.get('content-security-policy')).toMatch(/frame-ancestors 'none'$/)
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('referrer-policy')).toBe('no-referrer')
    }
  })

  it('keeps assets for ever and asks for the page anew, which is not sent twice', async () => {
    const asset = await ask('/assets/a-1b2c.js')
    expect(asset.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
    expect(asset.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    const page = await ask('/')
    expect(page.headers.get('cache-control')).toBe('no-cache')
    const etag = page.headers.get('etag')!
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`]) {
      const again = await ask('/', { headers: { 'if-none-match': known } })
      expect([again.status, await again.text()]).toEqual([304, ''])
    }
    expect((await ask('/', { headers: { 'if-none-match': '"other"' } })).status).toBe(200)
  })

  it('compresses for those who take it', async () => {
    const encodingFor = async (accepted: string) => {
      const { headers } = await ask('/assets/a-1b2c.js', { headers: { 'accept-encoding': accepted } })
      return headers.get('content-encoding')
    }
    expect(await encodingFor('br, gzip')).toBe('gzip')
    expect(await encodingFor('gzip;q=0.5')).toBe('gzip')
    expect(await encodingFor('identity')).toBeNull()
    expect(await encodingFor('gzip;q=0')).toBeNull()
  })

  it.each([
    '/assets/../package.json',
    '/assets/%2e%2e/x',
    '/assets/',
    '/assets/missing.js',
    '//assets/a-1b2c.js',
  ])('has nothing at %s', async (path) => {
    expect((await ask(path)).status).toBe(404)
  })

  it('refuses foreign names, foreign origins and methods that change something', async () => {
    expect((await ask('/', { headers: { host: 'rebound.example' } })).status).toBe(403)
    expect((await ask('/', { headers: { origin: 'https://elsewhere.example' } })).status).toBe(403)
    expect((await ask('/', { method: 'POST' })).status).toBe(405)
  })

  it('says that it is being built, and comes back by itself', async () => {
    const response = await ask('/', {}, { kind: 'building' })
    expect([response.status, response.headers.get('refresh'), response.headers.get('retry-after')]).toEqual([
      503,
      '2',
      '2',
    ])
    expect(await response.text()).toContain('is being built')
    expect((await ask('/assets/a-1b2c.js', {}, { kind: 'building' })).status).toBe(404)
    expect((await ask('/openapi.json', {}, { kind: 'building' })).status).toBe(200)
  })

  it('says why it could not be built, as text', async () => {
    const response = await ask('/', {}, { kind: 'failed', reason: 'no <script>alert(1)</script> & such' })
    expect(response.status).toBe(503)
    expect(await response.text()).toContain('no &lt;script&gt;alert(1)&lt;/script&gt; &amp; such')
  })
})
