import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { exchange, openSocket, requestHead, type SocketAnswer } from './raw-socket.ts'
import { runServer, type RunningServer } from './running-server.ts'

let running: RunningServer
let port = 0
beforeAll(async () => {
  running = await runServer()
  port = running.server.port
  await running.client.register()
})
afterAll(() => running[Symbol.asyncDispose]())

const send = (target: string, headers: Record<string, string> = {}, body = '') =>
  running.unchangedBy(() => exchange(port, requestHead(target, port, headers) + body))
const bodyOf = (answer: SocketAnswer | undefined) => [answer?.status, answer?.json]
const notFound = { error: 'Not found' }
const json = { 'Content-Type': 'application/json' }
const message = expect.any(String)

describe('a path or method that is not there', () => {
  it.each([
    '/nothing',
    '/api',
    '/api/nothing',
    '//api/devices',
    '/api//devices',
    '/API/devices',
    '/api/Devices',
    '/api/devices%2F',
    '/api/devices%2fheartbeat',
    '/api/devices/%2e%2e/devices',
    '/api/../api/devices/../../etc/passwd',
    '/..%2f..%2fetc/passwd',
    '/api/devices/heartbeat/extra',
    '/%zz',
    '/__proto__',
    '/constructor',
  ])('GET %s is answered with 404', async (path) => {
    expect(bodyOf(await send(`GET ${path}`))).toEqual([404, notFound])
  })

  it.each([
    ['PUT', '/api/devices', ['GET', 'HEAD', 'POST']],
    ['PATCH', '/api/devices/search/query', ['GET', 'HEAD', 'POST']],
    ['DELETE', '/api/devices/search/pending', ['GET', 'HEAD']],
    ['GET', '/api/devices/files/upload', ['POST']],
    ['OPTIONS', '/api/devices', ['GET', 'HEAD', 'POST']],
    ['TRACE', '/api/devices', ['GET', 'HEAD', 'POST']],
    ['POST', '/openapi.json', ['GET', 'HEAD']],
  ])('%s %s is answered with 405, and Allow says what there is', async (method, path, allowed) => {
    const answer = await send(`${method} ${path}`)
    expect(answer?.status).toBe(405)
    expect(answer?.json).toMatchObject({ error: 'Method not allowed' })
    const allow = answer?.headers.get('allow')?.split(', ') ?? []
    expect(allow).toEqual(expect.arrayContaining(allowed))
    expect(allow).not.toContain(method)
  })

  it.each(['/api/devices', '/openapi.json', '/'])(
    'HEAD %s answers like GET, without a body',
    async (path) => {
      await using socket = await openSocket(port)
      socket.write(requestHead(`HEAD ${path}`, port))
      const head = await socket.read({ isHead: true })
      socket.write(requestHead(`GET ${path}`, port))
      const get = await socket.read()
      expect([head?.status, get?.status]).toEqual([200, 200])
      expect(head?.headers.get('content-type')).toBe(get?.headers.get('content-type'))
    },
  )

  it('takes a slash at the end for none', async () => {
    expect((await send('GET /api/devices/'))?.json).toEqual((await send('GET /api/devices'))?.json)
  })
})

describe('a host or origin that is not allowed', () => {
  const paths = ['/api/devices', '/api/nothing', '/openapi.json', '/', '/nothing']
  const foreign = [
    { Host: 'evil.example' },
    { Host: 'localhost' },
    { Host: '127.0.0.1:1' },
    { Host: '127.0.0.1.evil.example:3000' },
    { Host: '' },
    { Origin: 'https://evil.example' },
    { Origin: 'null' },
    { Origin: 'http://127.0.0.1:1' },
    { Origin: '' },
  ]
  it.each(paths.flatMap((path) => foreign.map((headers) => [path, headers] as const)))(
    '%s is answered with 403 for %j',
    async (path, headers) => {
      const answer = await send(`GET ${path}`, headers)
      expect(bodyOf(answer)).toEqual([403, { error: 'Forbidden', message }])
      expect(answer?.headers.get('access-control-allow-origin')).toBeUndefined()
    },
  )

  it.each(['localhost', '127.0.0.1', '[::1]', 'LOCALHOST'])('is not %s at its own port', async (name) => {
    const headers = { Host: `${name}:${port}`, Origin: `http://${name.toLowerCase()}:${port}` }
    expect((await send('GET /api/devices', headers))?.status).toBe(200)
  })

  it('refuses to write for a foreign page, whatever else is right', async () => {
    const body = '{"name":"x","type":"t","platform":"p","metadata":{}}'
    const headers = { ...json, 'Content-Length': String(body.length), Origin: 'https://evil.example' }
    expect((await send('POST /api/devices', headers, body))?.status).toBe(403)
  })
})

describe('parameters and ids', () => {
  it.each([
    ['/api/devices?limit=1&limit=2', 'limit'],
    ['/api/devices?limit=0', 'limit'],
    ['/api/devices?limit=1e1', 'limit'],
    ['/api/devices?limit=1001', 'limit'],
    ['/api/devices?limit=1%00', 'limit'],
    ['/api/devices?cursor=', 'cursor'],
    ['/api/devices?cursor=%ff%fe', 'cursor'],
    [`/api/devices?cursor=${'x'.repeat(600)}`, 'cursor'],
    [`/api/devices?cursor=${btoa('[1,2]')}`, 'cursor'],
    [`/api/devices?cursor=${btoa('{"__proto__":1}')}`, 'cursor'],
    ['/api/devices/search/query?status=PENDING', 'status'],
    ['/api/devices/search/query?status=pending&status=failed', 'status'],
    [`/api/devices/search/query?queryId=${'x'.repeat(129)}`, 'queryId'],
    ['/api/devices/%zz/key', 'id'],
    ['/api/devices/%ff/key', 'id'],
    [`/api/devices/${'x'.repeat(129)}/key`, 'id'],
  ])('GET %.60s is answered with 400 that names %s', async (path, field) => {
    const answer = await send(`GET ${path}`)
    expect(bodyOf(answer)).toEqual([
      400,
      { error: 'Validation error', message: expect.stringContaining(field) },
    ])
  })

  it.each([
    ['GET', '/api/devices/__proto__/key', 'Device not found'],
    ['GET', '/api/devices/..%2f..%2fetc%2fpasswd/key', 'Device not found'],
    ['POST', '/api/devices/nothing/rotate-key', 'Device not found'],
    ['DELETE', '/api/devices/nothing', 'Device not found'],
    ['DELETE', '/api/devices/search%2Fpending', 'Device not found'],
    ['DELETE', '/api/devices/files/upload-requests/nothing', 'Upload request not found'],
    ['GET', '/api/devices/files/nothing/notes.txt', 'File not found'],
    ['GET', '/api/devices/files/..%2f..%2fcloud.db/x', 'File not found'],
    ['GET', '/api/devices/files/%2e%2e/cloud.db', 'File not found'],
  ])('%s %s is answered with 404', async (method, path, error) => {
    expect(bodyOf(await send(`${method} ${path}`))).toEqual([404, { error }])
  })

  it.each([
    ['?groupIds=1', '"groupIds"'],
    ['?__proto__=1&constructor=2&constructor=3&x', '"__proto__", "constructor", "x"'],
  ])('a filter that it does not know, %s, is answered with 400 that names it', async (query, names) => {
    expect(bodyOf(await send(`GET /api/devices/search/query${query}`))).toEqual([
      400,
      { error: 'Validation error', message: expect.stringContaining(names) },
    ])
  })
})

describe('bodies that HTTP itself gets wrong', () => {
  it.each([
    ['no content type', {}],
    ['text', { 'Content-Type': 'text/plain' }],
    ['a form', { 'Content-Type': 'application/x-www-form-urlencoded' }],
    ['JSON of another kind', { 'Content-Type': 'application/json-patch+json' }],
    ['compressed JSON', { ...json, 'Content-Encoding': 'gzip' }],
    ['JSON for a file', { ...json, path: '/api/devices/files/upload' }],
  ] as [string, Record<string, string>][])('%s is answered with 415', async (_, given) => {
    const { path = '/api/devices', ...headers } = given
    const device = await running.client.register()
    // a device's key counts at the endpoints of devices only
    const key = path === '/api/devices' ? {} : device.headers
    const all = { ...key, ...headers, 'Content-Length': '2' }
    const answer = await send(`POST ${path}`, all, '{}')
    expect(bodyOf(answer)).toEqual([415, { error: 'Unsupported media type', message }])
  })

  it('does not decompress', async () => {
    const bomb = gzipSync(Buffer.alloc(50_000_000))
    const headers = { ...json, 'Content-Encoding': 'gzip' }
    const answer = await running.unchangedBy(() =>
      running.client.send('/api/devices', { method: 'POST', headers, body: bomb }),
    )
    expect(answer.status).toBe(415)
  })

  it.each([
    ['both lengths', { 'Content-Length': '2', 'Transfer-Encoding': 'chunked' }],
    ['a negative length', { 'Content-Length': '-1' }],
    ['a length that is no number', { 'Content-Length': '2x' }],
    ['an unknown transfer encoding', { 'Transfer-Encoding': 'gzip' }],
    ['a line break in a header', { 'X-A': 'b\r\n\tContent-Length: 3' }],
  ] as [string, Record<string, string>][])('%s reaches nothing', async (_, headers) => {
    const answer = await send('POST /api/devices', { ...json, ...headers }, '{}')
    expect(answer?.status ?? 400).toBeGreaterThanOrEqual(400)
    expect(answer?.status ?? 400).toBeLessThan(500)
  })

  it('a length that is too long waits, and a caller that gives up leaves nothing', async () => {
    await running.unchangedBy(async () => {
      const socket = await openSocket(port)
      const body = '{"name":"x","type":"t","platform":"p","metadata":{}}'
      const headers = { ...json, 'Content-Length': String(body.length + 1) }
      socket.write(requestHead('POST /api/devices', port, headers) + body)
      await running.client.get('/api/devices')
      socket.cut()
    })
  })

  it('headers over the limit of the server are refused', async () => {
    expect((await send('GET /api/devices', { 'X-Large': 'x'.repeat(100_000) }))?.status ?? 431).toBe(431)
  })

  it.each(['chunks', 'a length'])(
    'C18: a body over 5 MiB (%s) gets a 413 that can be read, and the connection goes on',
    async (how) => {
      await running.unchangedBy(async () => {
        await using socket = await openSocket(port)
        const megabyte = Buffer.alloc(1 << 20, 'a')
        const framing =
          how === 'chunks' ? { 'Transfer-Encoding': 'chunked' } : { 'Content-Length': String(7 << 20) }
        socket.write(requestHead('POST /api/devices', port, { ...json, ...(framing as object) }))
        for (let sent = 0; sent < 7; sent += 1) {
          if (how === 'chunks') socket.write('100000\r\n')
          socket.write(megabyte)
          if (how === 'chunks') socket.write('\r\n')
        }
        if (how === 'chunks') socket.write('0\r\n\r\n')
        expect(bodyOf(await socket.read())).toEqual([413, { error: 'Payload too large', message }])
        socket.write(requestHead('GET /api/devices?limit=1', port))
        expect((await socket.read())?.status).toBe(200)
      })
    },
  )

  it('C18: the key is checked before a body is read', async () => {
    await using socket = await openSocket(port)
    const headers = { ...json, 'Content-Length': '1000' }
    socket.write(requestHead('POST /api/devices/heartbeat', port, headers))
    expect(bodyOf(await socket.read())).toEqual([401, { error: 'Invalid or missing API key' }])
  })

  it.each([
    'Bearer',
    'Bearer ',
    'bearer x',
    'Basic aHc6aHc=',
    `Bearer hw_${'é'.repeat(43)}`,
    'x'.repeat(9000),
  ])('the credentials "%.30s" get a 401', async (Authorization) => {
    const answer = await send('GET /api/devices/search/pending', { Authorization })
    expect(bodyOf(answer)).toEqual([401, { error: 'Invalid or missing API key' }])
  })
})
