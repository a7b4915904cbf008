import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { RawAnswer } from '../wire/raw-client.ts'
import { runServer, type RunningServer } from './running-server.ts'

let running: RunningServer
beforeAll(async () => {
  running = await runServer()
})
afterAll(() => running[Symbol.asyncDispose]())

function post(path: string, body: BodyInit, headers: Record<string, string> = {}): Promise<RawAnswer> {
  const init = { method: 'POST', headers: { 'Content-Type': 'application/json', ...headers }, body }
  return running.client.send(path, init)
}

const deep = (depth: number) => '{"a":'.repeat(depth) + '1' + '}'.repeat(depth)
const registration = (fields: string) => `{"type":"t","platform":"p","metadata":{},${fields}}`
const invalid = (message: string) => ({
  error: 'Validation error',
  message: expect.stringContaining(message) as string,
})

describe('a body that is not the documented one', () => {
  const bodies: readonly (readonly [name: string, body: BodyInit, message: string])[] = [
    ['cut JSON', '{"name":', 'JSON'],
    ['no JSON at all', 'name=x', 'JSON'],
    ['nothing', '', 'empty'],
    ['bytes that are not UTF-8', new Uint8Array([0x22, 0xff, 0xfe, 0x22]), 'UTF-8'],
    ['a list', '[]', 'body'],
    ['null', 'null', 'body'],
    ['a number', '1', 'body'],
    ['JSON nested 50,000 levels deep', registration(`"name":"x","extra":${deep(50_000)}`), 'nested'],
    ['JSON nested 101 levels deep', registration(`"name":"x","extra":${deep(100)}`), 'nested'],
    ['__proto__ in place of fields', '{"__proto__":{"name":"x","type":"t","platform":"p"}}', 'name'],
    ['a number for a name', registration('"name":7'), 'name'],
    ['null for a name', registration('"name":null'), 'name'],
    ['a list for a name', registration('"name":["x"]'), 'name'],
    ['an empty name', registration('"name":"  "'), 'name'],
    ['a name that is too long', registration(`"name":"${'x'.repeat(201)}"`), 'name'],
    ['a name of a megabyte', registration(`"name":"${'x'.repeat(1_000_000)}"`), 'name'],
    ['NUL in a name', registration('"name":"a\\u0000b"'), 'name'],
    ['a line break in a name', registration('"name":"a\\nb"'), 'name'],
    ['an escape sequence in a name', registration('"name":"\\u001b[31m"'), 'name'],
    ['half a surrogate pair in a name', registration('"name":"\\ud83d"'), 'name'],
    ['a list for metadata', '{"name":"x","type":"t","platform":"p","metadata":[]}', 'metadata'],
    ['a number for os', '{"name":"x","type":"t","platform":"p","metadata":{"os":1}}', 'metadata.os'],
    [
      'metadata over 8 KiB',
      `{"name":"x","type":"t","platform":"p","metadata":{"note":"${'x'.repeat(8200)}"}}`,
      'metadata',
    ],
  ]
  it.each(bodies)('is refused with 400 that names the problem: %s', async (_, body, message) => {
    const answer = await running.unchangedBy(() => post('/api/devices', body))
    expect([answer.status, answer.json]).toEqual([400, invalid(message)])
  })

  it.each([
    [{ query: '' }, 'query'],
    [{ query: 'a\u0000' }, 'query'],
    [{ query: ' \t\n' }, 'query'],
    [{ query: 'x'.repeat(1001) }, 'query'],
    [{ query: '\ud800' }, 'query'],
    [{ scope: [] }, 'scope'],
    [{ scope: ['files', 7] }, 'scope[1]'],
    [{ scope: Array.from({ length: 17 }, (_, index) => `s${index}`) }, 'scope'],
    [{ deviceIds: 'x' }, 'deviceIds'],
    [{ deviceIds: [''] }, 'deviceIds[0]'],
    [{ deviceIds: ['x'.repeat(129)] }, 'deviceIds[0]'],
    [{ ttlSeconds: 1e9 }, 'ttlSeconds'],
    [{ ttlSeconds: 60.5 }, 'ttlSeconds'],
  ])('creates no search from %j', async (change, message) => {
    const { id } = await running.client.register()
    const body = JSON.stringify({ query: 'a', scope: ['files'], deviceIds: [id], ...change })
    const answer = await running.unchangedBy(() => post('/api/devices/search/query', body))
    expect([answer.status, answer.json]).toEqual([400, invalid(message)])
  })

  it.each([
    [{ filePath: '' }, 'filePath'],
    [{ filePath: 'a\u0000b' }, 'filePath'],
    [{ filePath: '\udc00' }, 'filePath'],
    [{ filePath: 'x'.repeat(4097) }, 'filePath'],
    [{ filePath: 7 }, 'filePath'],
    [{ destination: 'moon' }, 'destination'],
    [{ deviceIds: [] }, 'deviceIds'],
  ])('asks for no file from %j', async (change, message) => {
    const { id } = await running.client.register()
    const body = JSON.stringify({ filePath: '/a', destination: 'cloud', deviceIds: [id], ...change })
    const answer = await running.unchangedBy(() => post('/api/devices/files/upload-requests', body))
    expect([answer.status, answer.json]).toEqual([400, invalid(message)])
  })

  it.each([
    [{ queryId: 7 }, 'queryId'],
    [{ results: [] }, 'results'],
    [{ results: 'none' }, 'results'],
    [{ results: null, error: null }, 'results'],
    [{ results: { files: {} } }, 'results.files'],
    [{ results: { files: [{ path: '/a', name: 'a', size: -1, modified: '2026-01-01T00:00:00Z' }] } }, 'size'],
    [{ results: { files: [{ path: '/a', name: 'a', size: 1, modified: 'yesterday' }] } }, 'modified'],
    [{ results: { apps: [{ name: 'a', path: '/a', running: 'yes' }] } }, 'running'],
    [{ results: { system: 'fast' } }, 'results.system'],
    [{ error: 7 }, 'error'],
    [{ error: 'x'.repeat(4097) }, 'error'],
  ])('C7: settles nothing by the report %j', async (change, message) => {
    const device = await running.client.register()
    const [queryId] = await running.client.search([device.id])
    const body = JSON.stringify({ queryId, query: 'notes', scope: ['files'], results: {}, ...change })
    const answer = await running.unchangedBy(() => post('/api/devices/search', body, device.headers))
    expect([answer.status, answer.json]).toEqual([400, invalid(message)])
  })
})

describe('what is odd, and still documented', () => {
  it('keeps prototypes out of what is stored', async () => {
    const body =
      '{"metadata":{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"os":"Linux"}}'
    const device = await running.client.register()
    expect((await post('/api/devices/heartbeat', body, device.headers)).status).toBe(200)
    const { json } = await running.client.get('/api/devices?limit=1')
    expect(json['devices']).toMatchObject([{ id: device.id, metadata: { os: 'Linux' } }])
    expect(json['devices']).not.toMatchObject([{ polluted: 1 }])
    expect((await running.client.register()).id).not.toBe(device.id)
  })

  it.each(['__proto__', '../../etc/passwd', "Robert'); DROP TABLE devices;--", '<script>', '👩‍💻 ü', '%00'])(
    'takes %s for a name like any other',
    async (name) => {
      await running.client.register(name)
      expect((await running.client.get('/api/devices?limit=1')).json['devices']).toMatchObject([{ name }])
    },
  )

  it('asks a device for whatever path it is told: the device has the last word', async () => {
    const device = await running.client.register()
    const filePath = '../../../etc/passwd\n%2e%2e/"quoted" ünï 👀'
    await running.client.askForFile([device.id], filePath)
    const { json } = await running.client.get('/api/devices/files/upload-requests/pending', device.headers)
    expect(json['requests']).toMatchObject([{ filePath }])
  })

  it('keeps results of scopes that it does not know, whatever their keys are', async () => {
    const device = await running.client.register()
    const [queryId] = await running.client.search([device.id])
    const body = `{"queryId":"${queryId}","results":{"mine":{"a\\u0000\\ud800":[null,{"":1}]},"constructor":{}}}`
    expect((await post('/api/devices/search', body, device.headers)).json).toMatchObject({ success: true })
    const { json } = await running.client.get(`/api/devices/search/query?queryId=${queryId}`)
    expect(json['results']).toMatchObject([
      { results: { mine: { 'a\u0000\ud800': [null, { '': 1 }] }, constructor: {} } },
    ])
  })
})

describe('what belongs to somebody else, or to nobody', () => {
  it('C9: settles no search of another device, and tells it apart from none', async () => {
    const [owner, other] = [await running.client.register(), await running.client.register()]
    const [queryId] = await running.client.search([owner.id])
    for (const asked of [queryId!, 'nothing', '../search', '__proto__', "' or 1=1 --"]) {
      const body = JSON.stringify({ queryId: asked, results: {} })
      const answer = await running.unchangedBy(() => post('/api/devices/search', body, other.headers))
      expect([answer.status, answer.json]).toEqual([404, { error: 'Search query not found' }])
    }
  })

  it('C20: creates nothing where one device of many does not exist', async () => {
    const { id } = await running.client.register()
    for (const unknown of ['nothing', '__proto__', `${id} `, id.toUpperCase()]) {
      const body = { query: 'a', scope: ['files'], deviceIds: [id, unknown] }
      const answer = await running.unchangedBy(() => running.client.post('/api/devices/search/query', body))
      expect([answer.status, answer.json]).toEqual([404, { error: 'Device not found' }])
    }
  })

  it.each(['', 'x'.repeat(256)])('C20: refuses the Idempotency-Key "%.3s" by its length', async (key) => {
    const answer = await running.unchangedBy(() =>
      post('/api/devices', registration('"name":"x"'), { 'Idempotency-Key': key }),
    )
    expect([answer.status, answer.json]).toEqual([400, invalid('Idempotency-Key')])
  })
})
