import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { agentPlatformOperations, PlatformError } from '@homeward/contract/agent-platform'
import type { Operation } from '@homeward/contract'
import * as fc from 'fast-check'
import { expect, it, onTestFinished } from 'vitest'
import * as z from 'zod/mini'
import { startPlatform } from './testing/start-platform.ts'

// MCP clients get errors in the form of JSON-RPC: see tests/mcp.
const operations = Object.entries<Operation>(agentPlatformOperations).filter(
  ([, { path }]) => path !== '/mcp',
)

/** Names that the operations look at, so that arbitrary values land where they matter. */
const fieldNames = (
  'id agent_id task model skills tools limits text q content conversation_id title slug decision openai_api_key ' +
  'registry_url messages metadata tags limit __proto__ constructor toString'
).split(' ')
const body = fc.oneof(
  fc.json(),
  fc.string(),
  fc
    .dictionary(fc.constantFrom(...fieldNames), fc.jsonValue({ maxDepth: 2 }))
    .map((value) => JSON.stringify(value)),
  fc.constantFrom('', 'null', '{', '[]', '{"a":1e999}', '"\\ud800"', '['.repeat(200), '{"task":"\\u0000"}'),
)
const segment = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }).map((text) => encodeURIComponent(text.toWellFormed())),
  fc.constantFrom('..%2F..', '%00', '%E0%A4', '%', 'a'.repeat(300), '__proto__', 'none', '.', '%2e%2e'),
)
const query = fc.oneof(
  fc.constantFrom(
    '',
    '?limit=0',
    '?limit=1e3',
    '?cursor=%00',
    '?since=9'.padEnd(40, '9'),
    '?q=%',
    '?a=1&a=2',
  ),
)

it.each(['memory', 'SQLite'])(
  'A2: whatever comes, the answer is a documented one and never a 500: %s',
  async (kept) => {
    const home = await mkdtemp(join(tmpdir(), 'homeward-hostile-'))
    onTestFinished(() => rm(home, { recursive: true, force: true }))
    await using platform = await startPlatform('in process', kept === 'SQLite' ? { home } : {})
    const call = fc.record({ row: fc.constantFrom(...operations), body, segment, query, json: fc.boolean() })
    await fc.assert(
      fc.asyncProperty(
        call,
        async ({ row: [id, operation], body: text, segment: value, query: search, json }) => {
          const path = operation.path.replaceAll(/\{\w+\}/g, () => value.replaceAll('/', '')) + search
          const takesBody = operation.body !== undefined || operation.form !== undefined
          const contentType = json ? 'application/json' : 'multipart/form-data; boundary=x'
          const response = await platform.fetch(path, {
            method: operation.method,
            ...(takesBody && { body: text, headers: { 'content-type': contentType } }),
          })
          const answer = await response.text()
          expect(response.status, `${id} ${path} ${text.slice(0, 200)} ${answer.slice(0, 300)}`).not.toBe(500)
          expect(response.headers.get('x-content-type-options')).toBe('nosniff')
          if (response.status >= 400 && operation.reply !== 'page') {
            expect(z.parse(PlatformError, JSON.parse(answer)).request_id).toBe(
              response.headers.get('x-request-id'),
            )
          }
        },
      ),
      { numRuns: 1000 },
    )
    expect(platform.errors).toEqual([])
    expect(({} as Record<string, unknown>)['openai_api_key']).toBeUndefined()
  },
)
