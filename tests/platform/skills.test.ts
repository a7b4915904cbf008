import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { craftZip } from '../../packages/skill-store-client/src/testing/craft-zip.ts'
import { workspaceFolder } from '../../scripts/workspace-packages.ts'
import { collectOutput } from '../docs/child-output.ts'
import { codeBlocksOf } from '../docs/code-blocks.ts'
import { shareServer } from '../server/share-server.ts'

const run = promisify(execFile)
const seeds = ['device-search', 'home-assistant', 'weather', 'word-count']

const shared = shareServer({ meantFailure: /Fetching the registry failed/ })

const ids = async () =>
  (await shared.client.ok('GET', '/api/skills')).skills.map(({ id }: { id: string }) => id)

function upload(path: string, content: string | Uint8Array<ArrayBuffer>, name: string) {
  const form = new FormData()
  form.append('file', new Blob([content]), name)
  return shared.client.send('POST', path, form)
}

it('A15: has the seed skills from the start; install-system brings back what is not there, and nothing else', async () => {
  expect(await ids()).toEqual(seeds)
  expect(await shared.client.ok('POST', '/api/skills/install-system')).toEqual({ ok: true, installed: [] })
  expect(await shared.client.ok('DELETE', '/api/skills/weather')).toEqual({ ok: true })
  expect(await shared.client.ok('POST', '/api/skills/install-system')).toEqual({
    ok: true,
    installed: ['weather'],
  })
  const { skills } = await shared.client.ok('GET', '/api/skills')
  const shown = skills.map(({ id, tools, configured }: Record<string, unknown>) => [id, tools, configured])
  expect(shown).toEqual([
    ['device-search', ['devices_list', 'devices_search', 'devices_search_results'], true],
    ['home-assistant', ['home_states', 'home_state', 'home_switch'], false],
    ['weather', ['weather_now', 'weather_forecast'], true],
    ['word-count', ['word_count'], true],
  ])
})

it('A15: installs a zip and a Markdown file, lists a broken one with the reason, and runs what it installed', async () => {
  const zip = craftZip([
    { name: 'SKILL.md', content: '---\nname: Greeter\ndescription: Greets.\nversion: 2.0.0\n---\nGreet.\n' },
    {
      name: 'tools.yaml',
      content:
        'tools:\n  - { id: greet, description: Greets., type: exec, command: [node, greet.mjs], effects: read }\n',
    },
    { name: 'greet.mjs', content: "console.log('Good morning')\n" },
  ])
  const zipped = await upload('/api/skills/upload', new Uint8Array(zip), 'greeter.zip')
  expect([zipped.status, zipped.body]).toEqual([
    201,
    { ok: true, skill: { id: 'greeter', version: '2.0.0', hash: expect.any(String) } },
  ])
  const text = '# Tea\n\n```yaml\nname: tea\ndescription: Makes tea.\n```\n\nPour.\n'
  const markdown = await upload('/api/skills/upload-skill-md', text, 'SKILL.md')
  expect([markdown.status, markdown.body.skill.id]).toEqual([201, 'tea'])
  const nameless = await upload('/api/skills/upload-skill-md', '---\nname: x\n---\n', 'SKILL.md')
  expect([nameless.status, nameless.body.code]).toEqual([422, 'invalid_skill'])
  const clash = craftZip([
    { name: 'SKILL.md', content: '---\nname: other\ndescription: Other.\n---\n' },
    { name: 'tools.yaml', content: 'tools:\n  - { id: greet, description: G., method: GET, path: /x }\n' },
  ])
  expect((await upload('/api/skills/upload', new Uint8Array(clash), 'a.zip')).status).toBe(409)

  await shared.client.ok('POST', '/api/agents', {
    id: 'host',
    model: 'test/tools',
    skills: ['greeter', 'tea'],
  })
  const { steps } = await shared.client.ok('POST', '/api/agents/run', { agent_id: 'host', task: 'greet me' })
  expect(steps).toMatchObject([{ tool: 'greet', result: { ok: true, stdout: 'Good morning\n' } }])
  for (const id of ['greeter', 'tea']) await shared.client.ok('DELETE', `/api/skills/${id}`)
})

it('A15: shows a schema and a setup text, checks a config by the schema, and keeps its secret', async () => {
  const schema = await shared.client.ok('GET', '/api/skills/home-assistant/config/schema')
  expect(schema.properties.access_token).toMatchObject({ format: 'password' })
  const { setup_markdown: setup } = await shared.client.ok('GET', '/api/skills/home-assistant/setup')
  expect(setup).toMatch(/^# Set up Home Assistant/)
  for (const path of ['config/schema', 'setup']) {
    expect((await shared.client.send('GET', `/api/skills/weather/${path}`)).status).toBe(404)
  }
  const config = '/api/skills/home-assistant/config'
  const refused = await shared.client.send('PUT', config, { access_token: '', color: 'red' })
  expect([refused.status, refused.body.code]).toEqual([400, 'validation_error'])
  await shared.client.ok('PUT', config, { access_token: 'very-secret', base: 'http://127.0.0.1:8123' })
  const shown = await shared.client.send('GET', config)
  expect(shown.body).toMatchObject({ base: 'http://127.0.0.1:8123', access_token: true })
  expect(shown.text).not.toContain('very-secret')
  const file = join(shared.home, 'configs/home-assistant.json')
  expect([(await stat(file)).mode & 0o777, JSON.parse(await readFile(file, 'utf8')).access_token]).toEqual([
    0o600,
    'very-secret',
  ])
})

it('A15: installs from the example store, by the lines of its README', { timeout: 60_000 }, async () => {
  const child = spawn(process.execPath, ['examples/skill-store/main.ts', '0'], {
    cwd: workspaceFolder,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  try {
    const [, storeUrl = ''] = (await collectOutput(child).waitFor(/(http:\/\/\S+)\/registry\.json/)) ?? []
    expect((await shared.client.ok('GET', '/api/skills/store-registry')).skills).toEqual([])
    const noStore = await shared.client.send('POST', '/api/skills/install', { slug: 'haiku' })
    expect([noStore.status, noStore.body.code]).toEqual([404, 'not_found'])

    const readme = await readFile(join(workspaceFolder, 'examples/skill-store/README.md'), 'utf8')
    const commands = codeBlocksOf('README.md', readme).find(({ code }) => code.includes('curl'))!.code
    const lines = commands
      .trim()
      .split('\n')
      .map((line) => {
        return line
          .replaceAll('http://127.0.0.1:3010', shared.server.agentsUrl)
          .replaceAll('http://127.0.0.1:3020', storeUrl)
      })
    const answers: unknown[] = []
    for (const line of lines) answers.push(JSON.parse((await run('bash', ['-c', line])).stdout))
    expect(answers).toEqual([
      { ok: true },
      {
        skills: [expect.objectContaining({ slug: 'haiku', version: '1.0.0' })],
        storeBase: null,
        registryUrl: `${storeUrl}/registry.json`,
      },
      { ok: true, skill: { id: 'haiku', version: '1.0.0', hash: expect.any(String) } },
    ])
    expect(await ids()).toContain('haiku')
    const unknown = await shared.client.send('POST', '/api/skills/install', { slug: 'sonnet' })
    expect([unknown.status, unknown.body.code]).toEqual([404, 'not_found'])
  } finally {
    const ended = once(child, 'exit')
    child.kill()
    await ended
  }
  const gone = await shared.client.send('GET', '/api/skills/store-registry')
  expect([gone.status, gone.body.code]).toEqual([502, 'store_unavailable'])
})
