import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { readdir } from 'node:fs/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { manifest, useSkillHome } from '../testing/skill-kit.ts'

const home = useSkillHome()
const { changes, open, write } = home

describe('the store', () => {
  let server: Server
  let base: string
  let answers: Record<string, () => { status?: number; body: string }>
  beforeEach(async () => {
    answers = {}
    server = createServer((request, response) => {
      const answer = answers[new URL(request.url ?? '/', 'http://x').pathname]?.()
      response.writeHead(answer?.status ?? (answer ? 200 : 404)).end(answer?.body)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  afterEach(() => void server.close())

  const registry = (...skills: object[]) => ({ body: JSON.stringify({ skills }) })
  const entry = { slug: 'weather', name: 'Weather', description: 'd', version: '1.0.0', url: '/weather.md' }

  it('is empty when none is configured', async () => {
    expect(await open().registry()).toEqual({ skills: [], storeBase: null, registryUrl: null })
    await expect(open().install('weather')).rejects.toMatchObject({ code: 'not_found' })
  })

  it('installs by slug', async () => {
    answers['/registry.json'] = () => registry(entry, { slug: 'bad' })
    answers['/weather.md'] = () => ({ body: manifest('Weather') })
    const library = open({ registry_url: `${base}/registry.json`, store_base: base })
    expect(await library.registry()).toMatchObject({
      skills: [{ slug: 'weather' }],
      storeBase: base,
      invalid: [{ index: 1 }],
    })
    expect(await library.install('weather')).toMatchObject({ id: 'weather', version: '1.0.0' })
    await expect(library.install('other')).rejects.toMatchObject({ code: 'not_found' })
  })

  it('A15, D20: says what installing would bring, and then installs that and nothing else', async () => {
    const tool = (path: string) =>
      manifest(
        'Weather',
        `api_base: https://api.example\ntools:\n  - { id: now, description: d, path: ${path} }\n`,
      )
    answers['/registry.json'] = () => registry(entry)
    answers['/weather.md'] = () => ({ body: tool('/now') })
    const library = open({ registry_url: `${base}/registry.json` })
    const first = await library.preview('weather')
    expect(first).toMatchObject({
      slug: 'weather',
      version: '1.0.0',
      capabilities: { tools: ['now'], hosts: ['api.example'], commands: [], env: [] },
      added: { tools: ['now'], hosts: ['api.example'] },
      changed_files: ['SKILL.md'],
    })
    expect(first).not.toHaveProperty('installed')
    expect([await readdir(home.path), changes]).toEqual([[], []])

    answers['/weather.md'] = () => ({ body: tool('https://elsewhere.example/now') })
    await expect(library.install({ slug: 'weather', hash: first.hash })).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('Preview it again') as string,
    })
    expect(await readdir(home.path)).toEqual([])

    answers['/weather.md'] = () => ({ body: tool('/now') })
    expect(await library.install({ slug: 'weather', hash: first.hash })).toMatchObject({ hash: first.hash })
    expect(await library.get('weather')).toMatchObject({ capabilities: first.capabilities })
    expect(await library.preview('weather')).toMatchObject({
      installed: { hash: first.hash },
      added: { tools: [], hosts: [] },
      changed_files: [],
    })
    answers['/weather.md'] = () => ({ body: tool('https://elsewhere.example/now') })
    expect(await library.preview('weather')).toMatchObject({
      installed: { hash: first.hash },
      added: { tools: [], hosts: ['elsewhere.example'] },
      removed: { tools: [], hosts: [] },
      changed_files: ['SKILL.md'],
    })
  })

  it('warns of a name that is easily taken for another one of the store', async () => {
    answers['/registry.json'] = () => registry({ ...entry, slug: 'wheather' }, entry)
    answers['/weather.md'] = () => ({ body: manifest('Weather') })
    const library = open({ registry_url: `${base}/registry.json` })
    expect(await library.preview('wheather')).toMatchObject({
      id: 'wheather',
      warnings: [{ code: 'look_alike_name', message: expect.stringContaining('"weather"') as string }],
    })
  })

  it('refuses a preview for the reasons of an installation', async () => {
    answers['/registry.json'] = () => registry(entry)
    answers['/weather.md'] = () => ({ body: '# no manifest' })
    const library = open({ registry_url: `${base}/registry.json` })
    await expect(library.preview('weather')).rejects.toMatchObject({ code: 'invalid_skill' })
    await expect(library.preview('other')).rejects.toMatchObject({ code: 'not_found' })
    await write('skills/a/SKILL.md', manifest('a', 'tools:\n  - { id: same, description: d, path: /x }\n'))
    answers['/weather.md'] = () => ({
      body: manifest('w', 'tools:\n  - { id: same, description: d, path: /x }\n'),
    })
    await expect(library.preview('weather')).rejects.toMatchObject({ code: 'conflict' })
  })

  it.each([401, 403])('passes %i on as license_required', async (status) => {
    answers['/registry.json'] = () => registry(entry)
    answers['/weather.md'] = () => ({ status, body: 'no' })
    await expect(open({ registry_url: `${base}/registry.json` }).install('weather')).rejects.toMatchObject({
      code: 'license_required',
      details: { status },
    })
  })

  it.each([
    ['a registry that is gone', {}],
    ['a registry that fails', { '/registry.json': () => ({ status: 500, body: '' }) }],
    ['content that is gone', { '/registry.json': () => registry(entry) }],
  ])('says that the store is unavailable: %s', async (_, given) => {
    answers = given
    await expect(open({ registry_url: `${base}/registry.json` }).install('weather')).rejects.toMatchObject({
      code: 'store_unavailable',
    })
    expect(await readdir(home.path)).toEqual([])
  })
})
