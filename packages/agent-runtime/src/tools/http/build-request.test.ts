import type { JsonObject } from '@homeward/contract/agent-platform'
import { expect, it } from 'vitest'
import { parseToolDefinitions } from '../../skills/definitions/parse-tool-definitions.ts'
import { buildRequest } from './build-request.ts'

function build(entry: object, args: JsonObject) {
  const [definition] = parseToolDefinitions([
    { id: 'demo', description: 'Calls.', method: 'POST', path: '/things', ...entry },
  ])
  if (definition?.type !== 'http') throw new Error('no definition')
  const base = new URL('https://skill.example/v1')
  return buildRequest(definition, args, {
    base,
    idempotencyKey: 'key',
    agentId: 'helper',
    credentialNames: [],
    findCredential: () => undefined,
  })
}

it('A17: a form says lists and null as a query does', () => {
  const args = { tag: ['a b', 'c'], note: null, size: 2, more: { x: 1 } }
  const properties = { tag: {}, note: {}, size: {}, more: {} }
  const written = 'tag=a+b&tag=c&size=2&more=%7B%22x%22%3A1%7D'
  const form = build(
    {
      headers: { 'content-type': 'Application/X-WWW-Form-Urlencoded' },
      parameters: { type: 'object', properties },
    },
    args,
  )
  expect(form.body).toBe(written)
  const query = build({ method: 'GET', parameters: { type: 'object', properties } }, args)
  expect(query.url.search).toBe(`?${written}`)
})

it('A17: a header says which agent calls where its definition asks for it', () => {
  expect(build({ headers: { 'X-Agent': 'id {{agent}}' } }, {}).headers).toMatchObject({
    'x-agent': 'id helper',
  })
  expect(JSON.stringify(build({}, {}).headers)).not.toContain('helper')
})
