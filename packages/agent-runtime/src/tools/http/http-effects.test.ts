import type { Json } from '@homeward/contract/agent-platform'
import { expect, it } from 'vitest'
import { parseToolDefinitions } from '../../skills/definitions/parse-tool-definitions.ts'
import { toTool } from '../create-agent-tools.ts'
import type { SkillToolContext } from '../skill-tool-context.ts'
import { toolContextOf } from '../testing/tool-context.ts'
import { resolveBase } from './base-address.ts'

type Sent = Parameters<SkillToolContext['http']['send']>[0]

/** A tool of a skill, over a service that replies like this. */
function make(entry: object, reply: { status?: number; data?: Json; text?: string; type?: string } = {}) {
  const sent: Sent[] = []
  const base = 'https://shop.example/v1'
  const [definition] = parseToolDefinitions([
    {
      id: 'order',
      description: 'Orders.',
      method: 'POST',
      path: '/orders',
      auth: { credential: 'TOKEN' },
      headers: { 'X-Version': 2 },
      parameters: {
        properties: { item: { type: 'string' }, shop: { type: 'string', default: 'main' } },
        required: ['item'],
      },
      ...entry,
    },
  ])
  const context: SkillToolContext = {
    home: '/nowhere',
    environment: { TOKEN: 'secret-token' },
    settings: {},
    config: {},
    base: resolveBase({ config: {}, apiBase: base, platformOrigins: [] }),
    platformOrigins: [],
    http: {
      async send(request) {
        sent.push(request)
        const { status = 200, data = null, text = JSON.stringify(data), type = 'application/json' } = reply
        if (status === 0) throw new Error('The connection failed')
        const body = new TextEncoder().encode(text)
        return { url: request.url, status, contentType: type, body, truncated: false }
      },
    },
    sandboxMode: 'auto',
    sandbox: { reason: 'none' },
    limits: [],
    maxResultBytes: 10_000,
    underWay: new Set(),
    now: Date.now,
  }
  const skill = {
    id: 'shop',
    name: 'shop',
    description: '',
    folder: '/nowhere',
    instructions: '',
    metadata: {},
    requiredEnv: ['TOKEN'],
    tools: [],
  }
  if (!definition) throw new Error('no definition')
  return { tool: toTool(definition, skill, context), sent }
}

const about = toolContextOf({ idempotencyKey: 'key-1' })
const verify = { path: '/orders/{idempotency_key}', when: { required: ['id'] } }

it('A8: asks the service with the key and the credentials of the call, and with its arguments in the path', async () => {
  const path = '/shops/{shop}/orders/:item?key={idempotency_key}'
  const { tool, sent } = make({ verify: { path } }, { data: { id: 7 } })
  expect(await tool.verify?.({ item: 'a/b?c' }, about)).toEqual({
    happened: true,
    result: { status: 200, ok: true, data: { id: 7 } },
  })
  const [{ url, method, body, headers } = {} as Partial<Sent>] = sent
  expect(url?.href).toBe('https://shop.example/v1/shops/main/orders/a%2Fb%3Fc?key=key-1')
  expect([method, body]).toEqual(['GET', undefined])
  expect(headers).toMatchObject({
    'idempotency-key': 'key-1',
    authorization: 'Bearer secret-token',
    'x-version': '2',
  })
})

it('A8: rejects an argument that would be a step of the path, and sends nothing', async () => {
  const { tool, sent } = make({ verify: { path: '/orders/{item}' } })
  for (const item of ['..', '.', ''])
    await expect(tool.verify?.({ item }, about)).rejects.toThrow('Filling the path failed')
  expect(sent).toEqual([])
})

const cases = [
  ['a body that matches', { data: { id: 1 } }, true],
  ['a body that does not match', { data: {} }, false],
  ['no body', { text: '' }, false],
  ['404', { status: 404, data: { id: 1 } }, false],
  ['401', { status: 401, data: { id: 1 } }, 'unknown'],
  ['429', { status: 429, data: {} }, 'unknown'],
  ['503', { status: 503, data: {} }, 'unknown'],
  ['a page', { text: '<h1>Sign in</h1>', type: 'text/html' }, 'unknown'],
] as const

it.each(cases)('A8: after %s', async (_, reply, happened) => {
  expect(await make({ verify }, reply).tool.verify?.({ item: 'tea' }, about)).toMatchObject({ happened })
})

it('A8: knows nothing without a response, and with a schema that cannot be checked', async () => {
  await expect(make({ verify }, { status: 0 }).tool.verify?.({ item: 'tea' }, about)).rejects.toThrow()
  const broken = { ...verify, when: { $ref: '#/nowhere' } }
  const { tool } = make({ verify: broken }, { data: { id: 1 } })
  expect(await tool.verify?.({ item: 'tea' }, about)).toEqual({ happened: 'unknown' })
})

it('offers nothing without the fields', () => {
  const { tool } = make({})
  expect([tool.verify, tool.undo]).toEqual([undefined, undefined])
})

const made = { status: 201, ok: true, data: { id: 'x/1', lines: [{ sku: 7 }] } }

it('takes a call back with parts of its result and its key', async () => {
  const undo = { path: '/orders/{result.data.id}/lines/{result.data.lines.0.sku}?shop={shop}' }
  const { tool, sent } = make({ undo }, { status: 204, text: '' })
  expect(await tool.undo?.({ item: 'tea' }, made, about)).toMatchObject({ status: 204 })
  const [{ url, method, headers } = {} as Partial<Sent>] = sent
  expect(url?.href).toBe('https://shop.example/v1/orders/x%2F1/lines/7?shop=main')
  expect([method, headers?.['idempotency-key']]).toEqual(['DELETE', 'key-1'])
})

it('sends no undo without the part of the result, or with a part that is a step of the path', async () => {
  const { tool, sent } = make({ undo: { path: '/orders/{result.data.id}' } })
  for (const id of [null, '', '..', { x: 1 }]) {
    const undoing = tool.undo?.({ item: 'tea' }, { ...made, data: { id } }, about)
    await expect(undoing).rejects.toThrow('Filling the path failed')
  }
  const rejected = tool.undo?.({ item: 'tea' }, { status: 422, ok: false, data: null }, about)
  await expect(rejected).rejects.toThrow('the service rejected the call itself')
  expect(sent).toEqual([])
})

it('counts a deletion that finds nothing as undone, and no other rejection', async () => {
  const undo = async (method: string, status: number) =>
    make({ undo: { method, path: '/orders' } }, { status }).tool.undo?.({ item: 'tea' }, made, about)
  expect(await undo('DELETE', 404)).toMatchObject({ status: 404 })
  await expect(undo('POST', 404)).rejects.toThrow('the service replied with 404')
  await expect(undo('DELETE', 500)).rejects.toThrow('the service replied with 500')
})
