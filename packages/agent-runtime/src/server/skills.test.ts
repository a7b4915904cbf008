import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { connect } from 'node:net'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ZipFile } from 'yazl'
import { startPlatform, ways } from './testing/start-platform.ts'

let home: string
let seeds: string
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'homeward-skills-'))
  seeds = join(home, 'seeds')
})
afterEach(() => rm(home, { recursive: true, force: true }))

const markdown = (name: string) => `---\nname: ${name}\ndescription: About ${name}.\n---\nUse it well.\n`

async function zip(files: Readonly<Record<string, string>>): Promise<Blob> {
  const archive = new ZipFile()
  for (const [name, text] of Object.entries(files)) archive.addBuffer(Buffer.from(text), name)
  archive.end()
  const chunks = await Array.fromAsync(archive.outputStream as AsyncIterable<Buffer>)
  return new Blob(chunks.map((chunk) => new Uint8Array(chunk)))
}

function form(content: Blob, field = 'file', fileName = 'skill.zip'): FormData {
  const data = new FormData()
  data.append(field, content, fileName)
  return data
}

const schema = {
  type: 'object',
  properties: {
    base: { type: 'string' },
    key: { type: 'string', format: 'password' },
    limit: { type: 'integer' },
  },
  required: ['base'],
}

describe.each(ways)('skills %s', (way) => {
  it('A15: installs a zip, shows it, configures it and removes it', async () => {
    await using platform = await startPlatform(way, { home })
    const { send } = platform
    const content = await zip({
      'SKILL.md': markdown('weather'),
      'tools.yaml': 'tools:\n  - { id: weather_now, description: Now, method: GET, path: /now }\n',
      'config.schema.json': JSON.stringify(schema),
      'SETUP.md': '# Get a key\n',
    })
    const uploaded = await send('POST', '/api/skills/upload', { body: form(content) })
    expect(uploaded.status, uploaded.text).toBe(201)
    const { id } = uploaded.body.skill
    expect(uploaded.body).toMatchObject({
      ok: true,
      skill: { hash: expect.stringMatching(/^[0-9a-f]{64}$/) },
    })

    const listed = await send('GET', '/api/skills')
    expect(listed.body.skills).toMatchObject([
      { id, name: 'weather', description: 'About weather.', configured: false },
    ])
    expect((await send('GET', `/api/skills/${id}`)).body.skill).toMatchObject({
      instructions: expect.stringContaining('Use it well.'),
      has_config: true,
      has_setup: true,
    })
    expect((await send('GET', `/api/skills/${id}/config/schema`)).body).toEqual(schema)
    expect((await send('GET', `/api/skills/${id}/setup`)).body).toEqual({ setup_markdown: '# Get a key\n' })

    const config = { base: 'https://weather.example', key: 'very-secret', limit: 3 }
    expect((await send('PUT', `/api/skills/${id}/config`, { body: config })).body).toEqual({ ok: true })
    const shown = await send('GET', `/api/skills/${id}/config`)
    expect(shown.body).toMatchObject({ base: 'https://weather.example', key: true, limit: 3 })
    expect(shown.text).not.toContain('very-secret')
    expect((await stat(join(home, 'configs', `${id}.json`))).mode & 0o777).toBe(0o600)
    const refused = await send('PUT', `/api/skills/${id}/config`, { body: { base: 7 } })
    expect([refused.status, refused.body.code]).toEqual([400, 'validation_error'])
    expect((await send('GET', `/api/skills/${id}/config`)).text).toBe(shown.text)

    expect((await send('DELETE', `/api/skills/${id}`)).body).toEqual({ ok: true })
    expect((await send('GET', '/api/skills')).body).toEqual({ skills: [] })
    const changes = (await send('GET', '/api/logs?type=skill.changed')).body.events
    expect(changes.map(({ data }: { data: { change: string } }) => data.change)).toEqual([
      'installed',
      'configured',
      'removed',
    ])
  })

  it('forgets a skill whose folder is gone; what only lies beside the skills stays', async () => {
    await using platform = await startPlatform(way, { home })
    const { send } = platform
    const asText = new FormData()
    asText.append('file', markdown('first'))
    await send('POST', '/api/skills/upload-skill-md', { body: asText })
    await rm(join(home, 'skills/first'), { recursive: true })
    await writeFile(join(home, 'skills/notes.txt'), 'mine')
    expect((await send('DELETE', '/api/skills/notes.txt')).status).toBe(404)
    expect((await send('DELETE', '/api/skills/first')).body).toEqual({ ok: true })
    expect((await send('DELETE', '/api/skills/first')).status).toBe(404)
    expect((await readdir(join(home, 'skills'))).toSorted()).toEqual(['notes.txt', 'skills.lock.json'])
    expect(await readFile(join(home, 'skills/skills.lock.json'), 'utf8')).not.toContain('first')
  })

  it('A17: names the host that a config sends the tools of a skill to', async () => {
    await using platform = await startPlatform(way, { home })
    const { send } = platform
    const asText = new FormData()
    const tools = 'tools:\n  - { id: t, description: d, path: /now }\n'
    asText.append('file', `---\nname: lost\ndescription: d\n${tools}---\n`)
    await send('POST', '/api/skills/upload-skill-md', { body: asText })
    const shown = async () => (await send('GET', '/api/skills/lost')).body.skill
    expect(await shown()).toMatchObject({ base_host: null, capabilities: { hosts: [] }, has_config: false })
    await send('PUT', '/api/skills/lost/config', { body: { base: 'https://api.example:8443/v1/secret' } })
    expect(await shown()).toMatchObject({
      base_host: 'api.example:8443',
      capabilities: { hosts: ['api.example:8443'] },
      tools: ['t'],
    })
    await writeFile(join(home, 'configs/lost.json'), '{')
    expect(await shown()).toMatchObject({ id: 'lost', error: expect.any(String) as string })
  })

  it('A15: installs Markdown, as a file or as text, whatever the part is called', async () => {
    await using platform = await startPlatform(way, { home })
    const { send } = platform
    const asFile = form(new Blob([markdown('first')]), 'skill', 'SKILL.md')
    expect((await send('POST', '/api/skills/upload-skill-md', { body: asFile })).status).toBe(201)
    const asText = new FormData()
    asText.append('note', 'x')
    asText.append('file', markdown('second'))
    expect((await send('POST', '/api/skills/upload-skill-md', { body: asText })).status).toBe(201)
    const { skills } = (await send('GET', '/api/skills')).body
    expect(skills.map(({ name }: { name: string }) => name)).toEqual(['first', 'second'])
  })

  it('A15, D20: shows what an upload would bring, an archive or a text, and installs nothing', async () => {
    await using platform = await startPlatform(way, { home })
    const { send } = platform
    const archive = await zip({
      'SKILL.md': markdown('weather'),
      'tools.yaml': 'tools:\n  - { id: weather_now, description: Now, path: /now }\n',
    })
    for (const [content, toolIds] of [
      [archive, ['weather_now']],
      [new Blob([markdown('weather')]), []],
    ] as const) {
      const preview = await send('POST', '/api/skills/upload-preview', { body: form(content) })
      expect(preview.status, preview.text).toBe(200)
      expect(preview.body.skill).toMatchObject({ id: 'weather', added: { tools: toolIds }, warnings: [] })
    }
    const refused = await send('POST', '/api/skills/upload-preview', { body: form(new Blob(['# No skill'])) })
    expect([refused.status, refused.body.code]).toEqual([422, 'invalid_skill'])
    expect((await send('GET', '/api/skills')).body).toEqual({ skills: [] })
  })

  it('A15: copies the seeds that are not there yet', async () => {
    await mkdir(join(seeds, 'hello'), { recursive: true })
    await writeFile(join(seeds, 'hello', 'SKILL.md'), markdown('hello'))
    await using platform = await startPlatform(way, { home, seedFolder: seeds })
    const first = await platform.send('POST', '/api/skills/install-system')
    expect(first.body).toEqual({ ok: true, installed: ['hello'] })
    const second = await platform.send('POST', '/api/skills/install-system', { body: {} })
    expect(second.body).toEqual({ ok: true, installed: [] })
  })

  it('A15: shows the registry, installs by slug, and passes a license refusal on', async () => {
    const store = createServer((request, response) => {
      const { pathname } = new URL(request.url ?? '/', 'http://x')
      const skills = ['free', 'paid'].map((slug) => ({
        slug,
        name: slug,
        description: 'd',
        version: '1.0.0',
        url: `/${slug}.md`,
      }))
      if (pathname === '/registry.json')
        response.setHeader('content-type', 'application/json').end(JSON.stringify({ skills }))
      else if (pathname === '/free.md') response.end(markdown('free'))
      else response.writeHead(403).end('no')
    })
    await new Promise<void>((resolve) => store.listen(0, '127.0.0.1', resolve))
    const base = `http://127.0.0.1:${(store.address() as AddressInfo).port}`
    try {
      await using platform = await startPlatform(way, { home })
      const { send } = platform
      expect((await send('GET', '/api/skills/store-registry')).body).toMatchObject({
        skills: [],
        registryUrl: null,
      })
      await send('PUT', '/api/settings', {
        body: { registry_url: `${base}/registry.json`, store_base: base },
      })
      const registry = await send('GET', '/api/skills/store-registry')
      expect(registry.body).toMatchObject({ registryUrl: `${base}/registry.json`, storeBase: base })
      expect(registry.body.skills.map(({ slug }: { slug: string }) => slug)).toEqual(['free', 'paid'])

      const preview = await send('GET', '/api/skills/store-preview?slug=free')
      expect([preview.status, preview.body.skill?.added?.tools], preview.text).toEqual([200, []])
      const { hash } = preview.body.skill
      for (const [wrong, status] of [
        ['0'.repeat(64), 409],
        ['x', 400],
      ] as const) {
        const refused = await send('POST', '/api/skills/install', { body: { slug: 'free', hash: wrong } })
        expect(refused.status).toBe(status)
      }
      expect((await send('GET', '/api/skills')).body).toEqual({ skills: [] })
      const installed = await send('POST', '/api/skills/install', { body: { slug: 'free', hash } })
      expect(installed.body.skill.hash).toBe(hash)
      expect([installed.status, installed.body.skill?.id], installed.text).toEqual([201, 'free'])
      expect((await send('GET', '/api/skills/store-preview?slug=paid')).body.code).toBe('license_required')
      expect((await send('GET', '/api/skills/store-preview?slug=none')).status).toBe(404)
      const paid = await send('POST', '/api/skills/install', { body: { slug: 'paid' } })
      expect([paid.status, paid.body.code]).toEqual([403, 'license_required'])
      const unknown = await send('POST', '/api/skills/install', { body: { slug: 'none' } })
      expect([unknown.status, unknown.body.code]).toEqual([404, 'not_found'])

      await send('PUT', '/api/settings', { body: { registry_url: 'http://127.0.0.1:1/registry.json' } })
      const down = await send('GET', '/api/skills/store-registry')
      expect([down.status, down.body.code]).toEqual([502, 'store_unavailable'])
    } finally {
      store.close()
    }
  })

  it('A2, A15: refuses what is no skill and what is no form, and installs nothing', async () => {
    await using platform = await startPlatform(way, { home, handler: { maxUploadBytes: 100_000 } })
    const { send } = platform
    const upload = '/api/skills/upload'
    const escape = form(
      new Blob([
        (await (await zip({ 'aaaaSKILL.md': markdown('x') })).text()).replaceAll(
          'aaaaSKILL.md',
          '../../etc.md',
        ),
      ]),
    )
    const cases: [string, FormData | string, Record<string, string>, number, string][] = [
      [upload, form(new Blob(['no zip'])), {}, 422, 'invalid_skill'],
      [upload, form(await zip({ 'SKILL.md': 'no name' })), {}, 422, 'invalid_skill'],
      [upload, escape, {}, 422, 'invalid_skill'],
      [upload, form(new Blob(['x'.repeat(200_000)])), {}, 413, 'payload_too_large'],
      [upload, new FormData(), {}, 400, 'validation_error'],
      [upload, '{}', { 'content-type': 'application/json' }, 415, 'unsupported_media_type'],
      [upload, 'x', { 'content-type': 'multipart/form-data' }, 400, 'validation_error'],
      [
        upload,
        '--b\r\nContent-Disposition: form-data; name="file"; filename="a.zip"\r\n\r\nPK',
        { 'content-type': 'multipart/form-data; boundary=b' },
        400,
        'validation_error',
      ],
      ['/api/skills/upload-skill-md', form(new Blob(['# no front matter'])), {}, 422, 'invalid_skill'],
      [
        '/api/skills/upload-skill-md',
        form(new Blob([new Uint8Array([0xff, 0xfe, 0x00])])),
        {},
        400,
        'validation_error',
      ],
    ]
    for (const [path, body, headers, status, code] of cases) {
      const answer = await send('POST', path, { body, headers })
      expect([answer.status, answer.body.code], `${path} ${answer.text}`).toEqual([status, code])
    }
    expect((await send('GET', '/api/skills')).body).toEqual({ skills: [] })
    const left = await readdir(join(home, 'skills')).catch(() => [])
    expect(left.filter((name) => !name.startsWith('.'))).toEqual([])
  })

  it('A2: says that there is no such skill, and refuses names that climb', async () => {
    await using platform = await startPlatform(way, { home })
    for (const [method, path, body] of [
      ['GET', ''],
      ['DELETE', ''],
      ['GET', '/config'],
      ['PUT', '/config', {}],
      ['GET', '/config/schema'],
      ['GET', '/setup'],
    ] as const) {
      const missing = await platform.send(method, `/api/skills/none${path}`, body ? { body } : {})
      expect([missing.status, missing.body.code], `${method} ${path}`).toEqual([404, 'not_found'])
      const climbing = await platform.send(method, `/api/skills/..%2F..%2Fetc${path}`, body ? { body } : {})
      expect([climbing.status, climbing.body.code]).toEqual([400, 'validation_error'])
    }
    const slug = await platform.send('POST', '/api/skills/install', { body: { slug: '../x' } })
    expect(slug.status).toBe(400)
  })
})

it('A15: an upload that breaks off installs nothing', async () => {
  await using platform = await startPlatform('over HTTP', { home })
  const whole = Buffer.from(await (await zip({ 'SKILL.md': markdown('half') })).arrayBuffer())
  const head = '--b\r\nContent-Disposition: form-data; name="file"; filename="a.zip"\r\n\r\n'
  const socket = connect(Number(new URL(platform.url).port), '127.0.0.1')
  const closed = new Promise((resolve) => socket.once('close', resolve))
  socket.on('error', () => {})
  socket.write(
    `POST /api/skills/upload HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: ${whole.length + 500}\r\n\r\n${head}`,
  )
  socket.write(whole, () => socket.destroy())
  await closed
  expect((await platform.send('GET', '/api/skills')).body).toEqual({ skills: [] })
})
