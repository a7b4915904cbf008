import { createHash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createRuntime } from '@homeward/agent-runtime'
import { createAgentPlatformDocument, createAgentPlatformHandler } from '@homeward/agent-runtime/server'
import { createSqliteStore } from '@homeward/agent-runtime/sqlite'
import { tokenScopes, type Operation, type TokenScope } from '@homeward/contract'
import { agentPlatformOperations, openaiOperations } from '@homeward/contract/agent-platform'
import * as fc from 'fast-check'
import { expect, it, onTestFinished } from 'vitest'
import { drawRequest, type DrawnDocument, type DrawnOperation } from '../fuzz/draw-request.ts'

interface ScopedOperation extends DrawnOperation {
  readonly 'x-scope'?: TokenScope | 'any'
}

interface Place {
  readonly id: string
  readonly method: string
  readonly template: string
  /** `any`: at least one. */
  readonly scope: TokenScope | 'any'
}

const document = JSON.parse(JSON.stringify(await createAgentPlatformDocument())) as DrawnDocument

/** The operations that need a scope, as a reader of the document sees them. */
const places = Object.entries(document.paths).flatMap(([template, methods]) =>
  Object.entries(methods).flatMap(([method, operation]): Place[] => {
    const { 'x-scope': scope, operationId: id } = operation as ScopedOperation
    return scope === undefined ? [] : [{ id, method, template, scope }]
  }),
)

/** Requests of one operation that the document allows, the same in every run. */
function requestsOf({ template, method }: Place) {
  const operation = document.paths[template]![method]!
  const drafts = drawRequest(
    { ...document, paths: { [template]: { [method]: operation } } },
    { knownNames: ['id', 'agent_id'], authorizationOf: () => '', strangers: [''] },
  )
  return fc.sample(drafts, { numRuns: 4, seed: 33 }).map((draft) => draft(() => ['echo']))
}

/** What may change when a caller is rejected: the time of its last use, and what the audit says of it. */
const changing: Readonly<Record<string, readonly string[]>> = { access_tokens: ['last_used_at'] }
const audit = /^audit$|^sqlite_sequence$/

/** Hash of all rows of all tables. */
function hashOf(path: string): string {
  using database = new DatabaseSync(path, { readOnly: true })
  const hash = createHash('sha256')
  const tables = database.prepare("select name from sqlite_schema where type = 'table' order by name").all()
  for (const name of tables.map((table) => String(table['name'])).filter((table) => !audit.test(table))) {
    const select = database.prepare(`select * from "${name}"`)
    select.setReadBigInts(true) // the index of words holds some
    const rows = select.all()
    for (const row of rows) for (const column of changing[name] ?? []) delete row[column]
    hash.update(
      JSON.stringify([name, rows], (_, value: unknown) => (typeof value === 'bigint' ? `${value}` : value)),
    )
  }
  return hash.digest('hex')
}

async function start() {
  const folder = await mkdtemp(join(tmpdir(), 'homeward-scopes-'))
  const path = join(folder, 'agents.db')
  const runtime = createRuntime({ environment: {}, store: createSqliteStore({ path }), home: folder })
  onTestFinished(async () => {
    await runtime.close()
    await rm(folder, { recursive: true, force: true })
  })
  await runtime.agents.create({ id: 'echo', model: 'test/echo' })
  await runtime.run({ agent_id: 'echo', task: 'hi', conversation_id: 'c' })
  const token = async (...scopes: TokenScope[]) =>
    (await runtime.tokens.create({ name: scopes.join(), scopes })).secret
  const platform = createAgentPlatformHandler({
    runtime,
    auth: { kind: 'settings', required: true },
    onError: () => {},
  })
  return {
    path,
    token,
    /** @returns the status and the code of the error */
    async send(target: string, init: RequestInit, secret?: string) {
      const headers = { ...(init.headers as Record<string, string> | undefined) }
      if (secret !== undefined) headers['authorization'] = `Bearer ${secret}`
      const request = new Request(`http://127.0.0.1:3010${target}`, { ...init, headers })
      const response = await platform.fetch(request, { remoteAddress: '127.0.0.1' })
      const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true
      if (isStream) await response.body?.cancel() // it may not end
      const text = isStream ? '' : await response.text()
      return { status: response.status, text }
    },
  }
}

it('A26: the OpenAPI document names the scope of every operation of a local caller', () => {
  const table: Readonly<Record<string, Operation>> = { ...agentPlatformOperations, ...openaiOperations }
  const local = Object.entries(table).flatMap(([id, { auth, scope }]) =>
    auth === 'local' ? [[id, scope]] : [],
  )
  expect(Object.fromEntries(places.map(({ id, scope }) => [id, scope]))).toEqual(Object.fromEntries(local))
})

it('A26: every operation without its scope is 403, or 401 without a token, and changes no row', async () => {
  const { path, token, send } = await start()
  const callers = new Map<string | undefined, string | undefined>([[undefined, undefined]])
  for (const scope of tokenScopes) callers.set(scope, await token(scope))
  const before = hashOf(path)
  for (const place of places) {
    for (const [scope, secret] of callers) {
      const isAllowed = scope === 'admin' || scope === place.scope || place.scope === 'any'
      if (isAllowed && scope !== undefined) continue
      for (const { method, path: target, headers, body = null } of requestsOf(place)) {
        const { status, text } = await send(target, { method, headers, body }, secret)
        expect([place.id, scope, status]).toEqual([place.id, scope, scope === undefined ? 401 : 403])
        if (scope !== undefined) expect(text).toContain('forbidden')
      }
    }
    expect([place.id, hashOf(path)]).toEqual([place.id, before])
  }
  const body = JSON.stringify({ id: 'new', model: 'test/echo' })
  const headers = { 'content-type': 'application/json' }
  await send('/api/agents', { method: 'POST', headers, body }, callers.get('admin'))
  expect(hashOf(path)).not.toBe(before)
})

it('A26: every operation lets callers with its scope in, and administrators', async () => {
  const { token, send } = await start()
  const secrets = new Map<string, string>()
  for (const scope of tokenScopes) secrets.set(scope, await token(scope))
  for (const { id, method, template, scope } of places) {
    for (const name of new Set([scope === 'any' ? 'read' : scope, 'admin'])) {
      const target = template.replaceAll(/\{\w+\}/g, 'x')
      const body = ['get', 'delete'].includes(method)
        ? {}
        : { body: '{}', headers: { 'content-type': 'application/json' } }
      const { status } = await send(target, { method: method.toUpperCase(), ...body }, secrets.get(name))
      expect([id, name, [401, 403].includes(status)]).toEqual([id, name, false])
    }
  }
})
