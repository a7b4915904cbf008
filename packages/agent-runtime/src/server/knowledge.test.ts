import { afterEach, describe, expect, it } from 'vitest'
import { createScriptedModel, type ScriptedResponse } from '../testing/scripted-model.ts'
import { startPlatform, ways, type TestPlatform, type TestPlatformOptions } from './testing/start-platform.ts'

let platform: TestPlatform
afterEach(() => platform[Symbol.asyncDispose]())

const admin = { authorization: 'Bearer correct-horse-battery-staple' }

async function open(options: TestPlatformOptions = {}, way: (typeof ways)[number] = 'in process') {
  platform = await startPlatform(way, options)
  await platform.send('POST', '/api/collections', { body: { id: 'docs', name: 'Handbook' }, headers: admin })
}

const send = async (method: string, path: string, body?: unknown, headers: Record<string, string> = admin) =>
  platform.send(method, path, { headers, ...(body !== undefined && { body }) })

/** Waits until every document was read. */
async function settle(collection = 'docs') {
  await expect
    .poll(
      async () => {
        const { body } = await send('GET', `/api/collections/${collection}/documents`)
        return (body.documents as { readonly status: string }[]).map(({ status }) => status)
      },
      { timeout: 60_000 },
    )
    .not.toContain('queued')
}

const names = async (q: string, collection = 'docs', headers = admin as Record<string, string>) => {
  const { body } = await send(
    'GET',
    `/api/collections/${collection}/search?q=${encodeURIComponent(q)}`,
    undefined,
    headers,
  )
  return (body.results as { readonly name: string }[] | undefined)?.map(({ name }) => name)
}

describe.each(ways)('%s', (way) => {
  it('keeps collections, and documents as JSON and as a form', async () => {
    await open({}, way)
    const answers = [
      await send('POST', '/api/collections', { id: 'docs' }),
      await send('GET', '/api/collections/none'),
      await send('POST', '/api/collections/none/documents', { name: 'a', text: 'x' }),
      await send('POST', '/api/collections/docs/documents', { name: 'a' }),
      await send('GET', '/api/collections/none/search?q=x'),
    ]
    expect(answers.map(({ status }) => status)).toEqual([409, 404, 404, 400, 404])
    const one = await send('POST', '/api/collections/docs/documents', {
      name: 'a.md',
      data: btoa('# Foxes\nA red fox.'),
      metadata: { from: 'test' },
    })
    expect([one.status, one.body]).toMatchObject([
      202,
      {
        ok: true,
        documents: [
          {
            name: 'a.md',
            media_type: 'text/markdown',
            bytes: 18,
            status: 'queued',
            metadata: { from: 'test' },
          },
        ],
      },
    ])
    const form = new FormData()
    form.append('file', new File(['A blue whale.'], 'Wäl "1".txt'))
    form.append('request', JSON.stringify({ metadata: { from: 'form' } }))
    form.append('file', new File(['A grey wolf.'], 'wolf.txt', { type: 'text/plain' }))
    const two = await send('POST', '/api/collections/docs/documents', form)
    expect([two.status, two.body]).toMatchObject([
      202,
      {
        documents: [
          { name: 'Wäl "1".txt', metadata: { from: 'form' } },
          { name: 'wolf.txt', media_type: 'text/plain' },
        ],
      },
    ])
    await settle()
    expect(await names('whale')).toEqual(['Wäl "1".txt'])
    expect((await send('GET', '/api/collections/docs/search?q=red%20fox')).body.results).toMatchObject([
      { name: 'a.md', heading: 'Foxes', text: '# Foxes\nA red fox.' },
    ])
    const { id } = one.body.documents[0]
    expect((await send('GET', `/api/collections/docs/documents/${id}`)).body.document).toMatchObject({
      status: 'ready',
      chunks: 1,
    })
    expect((await send('DELETE', `/api/collections/docs/documents/${id}`)).body).toEqual({ ok: true })
    expect(await names('fox')).toEqual([])
    expect((await send('DELETE', `/api/collections/docs/documents/${id}`)).status).toBe(404)
    const page = await send('GET', '/api/collections/docs/documents?limit=1')
    const next = await send('GET', `/api/collections/docs/documents?limit=1&cursor=${page.body.next_cursor}`)
    expect([page, next].map(({ body }) => body.documents[0].name)).toEqual(['wolf.txt', 'Wäl "1".txt'])
    expect((await send('DELETE', '/api/collections/docs')).body).toEqual({ ok: true })
    expect(await names('wolf')).toBeUndefined()
  }, 120_000)

  it('refuses broken forms', async () => {
    await open({}, way)
    const empty = new FormData()
    empty.append('request', '{}')
    const wrong = new FormData()
    wrong.append('file', new File(['x'], 'a.txt'))
    wrong.append('request', '{')
    const post = (form: FormData) => send('POST', '/api/collections/docs/documents', form)
    expect([(await post(empty)).status, (await post(wrong)).status]).toEqual([400, 400])
    // as in a JSON request
    for (const name of [' ', 'x'.repeat(201)]) {
      const form = new FormData()
      form.append('file', new File(['x'], name))
      const { status, body } = await post(form)
      expect([status, body.message]).toEqual([400, expect.stringMatching(/^filename: /)])
    }
    expect((await send('GET', '/api/collections/docs/documents')).body.documents).toEqual([])
  })
})

it('A26: a user reaches its own documents of collections with per_user, and nothing else', async () => {
  await open({ environment: { API_TOKEN: 'correct-horse-battery-staple' }, auth: { kind: 'settings' } })
  await send('POST', '/api/collections', { id: 'own', per_user: true })
  const tokenOf = async (body: object) => {
    const { secret } = (await send('POST', '/api/tokens', { name: 't', scopes: ['read', 'run'], ...body }))
      .body
    return { authorization: `Bearer ${secret as string}` }
  }
  const [ann, bob, service] = [
    await tokenOf({ user_id: 'ann' }),
    await tokenOf({ user_id: 'bob' }),
    await tokenOf({}),
  ]
  const path = '/api/collections/own/documents'
  const form = new FormData()
  form.append('file', new File(['the secret fox'], 'ann.txt'))
  const [ofAnn] = (await send('POST', path, form, ann)).body.documents
  expect(ofAnn).toMatchObject({ name: 'ann.txt', user_id: 'ann' })
  expect((await send('POST', path, { name: 'bob.txt', text: 'the other fox' }, bob)).status).toBe(202)
  expect((await send('POST', path, { name: 'x', text: 'x', user_id: 'ann' }, bob)).status).toBe(403)
  expect((await send('POST', path, { name: 'x', text: 'x' }, service)).status).toBe(403)
  expect(
    (await send('POST', '/api/collections/docs/documents', { name: 'x', text: 'x' }, service)).status,
  ).toBe(403)
  expect((await send('POST', path, { name: 'eve.txt', text: 'x', user_id: 'eve' }, service)).status).toBe(202)
  await settle('own')
  expect(await names('fox', 'own', ann)).toEqual(['ann.txt'])
  expect((await names('fox', 'own'))?.toSorted()).toEqual(['ann.txt', 'bob.txt'])
  const shown = (await send('GET', path, undefined, bob)).body.documents as { readonly name: string }[]
  expect(shown.map(({ name }) => name)).toEqual(['bob.txt'])
  expect((await send('GET', `${path}?user_id=ann`, undefined, bob)).status).toBe(403)
  expect((await send('GET', '/api/collections', undefined, bob)).body.collections).toMatchObject([
    { id: 'own' },
  ])
  for (const wanted of [
    'docs',
    'none',
    'docs/documents',
    'none/search?q=x',
    'docs/search?q=x',
    `own/documents/${ofAnn.id}`,
  ])
    expect(await send('GET', `/api/collections/${wanted}`, undefined, bob)).toMatchObject({
      status: 404,
      body: { message: expect.stringMatching(/ failed: no [\w ]+ has this id\. /) },
    })
  expect((await send('DELETE', `${path}/${ofAnn.id}`, undefined, bob)).status).toBe(404)
  expect((await send('DELETE', `${path}/${ofAnn.id}`, undefined, ann)).status).toBe(200)
  const { entries } = (await send('GET', '/api/audit')).body
  const done = (entries as { readonly action: string; readonly outcome: string }[]).filter(
    ({ outcome }) => outcome === 'done',
  )
  expect(done.map(({ action }) => action)).toEqual(
    expect.arrayContaining(['collection.created', 'document.added', 'document.deleted']),
  )
}, 120_000)

describe('search_documents', () => {
  const asks: ScriptedResponse = { toolCalls: [{ name: 'search_documents', args: { query: 'red fox' } }] }

  it('shows what it returned as sources, taints the run, and finds only what the user may see', async () => {
    const model = createScriptedModel([asks, { text: 'Seen.' }, asks, { text: 'Nothing.' }])
    await open({ models: { mine: () => model } })
    await send('POST', '/api/collections', { id: 'own', per_user: true })
    await send('POST', '/api/collections/docs/documents', { name: 'a.md', text: 'The red fox of all.' })
    await send('POST', '/api/collections/own/documents', {
      name: 'ann.txt',
      text: 'The red fox of Ann.',
      user_id: 'ann',
    })
    await settle()
    await settle('own')
    await send('POST', '/api/agents', { id: 'a', model: 'mine/x', collections: ['docs', 'own', 'gone'] })
    const run = async (user_id: string) =>
      (await send('POST', '/api/agents/run', { agent_id: 'a', task: 'x', user_id })).body
    const ofAnn = await run('ann')
    expect(ofAnn.warnings).toEqual(['The collection "gone" does not exist. The run cannot search it.'])
    const sources = ofAnn.sources as { readonly name: string; readonly quote: string }[]
    expect(sources.map(({ name }) => name).toSorted()).toEqual(['a.md', 'ann.txt'])
    expect(sources.find(({ name }) => name === 'a.md')).toMatchObject({
      document_id: expect.any(String),
      quote: 'The red fox of all.',
    })
    const ofBob = await run('bob')
    expect(JSON.stringify(ofBob)).not.toContain('Ann')
    expect(ofBob.sources).toHaveLength(1)
    const events = (await platform.fetch(`/api/runs/${ofAnn.run_id}/events`, { headers: admin })).text()
    expect((await events).match(/event: source/g)).toHaveLength(2)
    const { body } = await send('GET', `/api/conversations/${ofAnn.conversation_id}?format=ui&user_id=ann`)
    const parts = (body.messages as { readonly parts: { readonly type: string }[] }[]).flatMap(
      ({ parts: all }) => all,
    )
    expect(parts.filter(({ type }) => type === 'source-document')).toMatchObject([
      { title: expect.any(String), filename: expect.any(String), mediaType: expect.any(String) },
      {},
    ])
    const { steps } = (await send('GET', `/api/runs/${ofAnn.run_id}/steps`)).body
    expect(JSON.stringify(steps)).toContain('search_documents')
  }, 120_000)
})
