import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createProject } from '../../apps/create-homeward/src/create-project.ts'
import { buildPackage } from '../../scripts/packs/build-package.ts'
import { packAll, type PackedPackage } from '../../scripts/packs/pack-all.ts'
import { libraryPackages } from '../../scripts/workspace-packages.ts'

const run = promisify(execFile)

/** What an app has beside the libraries: the oldest versions that the documentation allows, and the newest. */
const oldest = {
  ai: '6.0.0',
  '@ai-sdk/anthropic': '3.0.0',
  '@ai-sdk/google': '3.0.0',
  '@ai-sdk/openai': '3.0.0',
  '@ai-sdk/openai-compatible': '2.0.0',
  pg: '8.11.0',
  zod: '4.2.0',
  typescript: '5.7.3',
}
const newest = {
  ai: '^7.0.0',
  '@ai-sdk/anthropic': '^4.0.0',
  '@ai-sdk/google': '^4.0.0',
  '@ai-sdk/openai': '^4.0.0',
  '@ai-sdk/openai-compatible': '^3.0.0',
  pg: '^8.11.0',
  zod: '^4.2.0',
  typescript: 'latest',
}

/** Asks each provider's package for an answer that calls a tool of the app's own zod, from a server that stands in for it. */
const program = `
import { createServer } from 'node:http'
import { createRuntime, defineTool } from '@homeward/agent-runtime'
import { createPostgresStore } from '@homeward/agent-runtime/postgres'
import { createDeviceCloud, createSingleUserSessions } from '@homeward/cloud-core'
import { createMemoryBlobs } from '@homeward/cloud-core/blobs/memory'
import { createMemoryStore } from '@homeward/cloud-core/memory'
import * as z from 'zod'

let calls = 0
const server = createServer((_request, response) => {
  calls += 1
  const tool_calls = [{ index: 0, id: 'c1', type: 'function', function: { name: 'add', arguments: '{"a":2,"b":3}' } }]
  const delta = calls === 1 ? { role: 'assistant', tool_calls } : { role: 'assistant', content: 'five' }
  const head = { id: '1', object: 'chat.completion.chunk', created: 1, model: 'm' }
  const choices = [
    { index: 0, delta, finish_reason: null },
    { index: 0, delta: {}, finish_reason: calls === 1 ? 'tool_calls' : 'stop' },
  ]
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (const choice of choices) response.write('data: ' + JSON.stringify({ ...head, choices: [choice] }) + '\\n\\n')
  response.end('data: [DONE]\\n\\n')
})
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()))
const address = server.address()
const port = typeof address === 'object' && address ? address.port : 0

const add = defineTool({
  id: 'add',
  description: 'Adds.',
  inputSchema: z.object({ a: z.number(), b: z.number() }),
  effects: 'read',
  returnsUntrustedContent: false,
  execute: async ({ a, b }) => a + b,
})
export const runtime = createRuntime({
  environment: { OPENAI_API_KEY: 'k', OPENAI_BASE_URL: \`http://127.0.0.1:\${port}/v1\` },
  tools: [add],
})
// what an app exports, its compiler has to name
export const { audit, tokens, webhooks } = runtime
export const cloud = createDeviceCloud({
  store: createMemoryStore(),
  blobs: createMemoryBlobs(),
  sessions: createSingleUserSessions(),
})
await runtime.agents.create({ id: 'a', model: 'openai/m', tools: ['add'] })
const { output, error, steps } = await runtime.run({ agent_id: 'a', task: '2 and 3' })
const refused = await createPostgresStore({ connectionString: 'postgres://a@127.0.0.1:1/none' }).then(
  () => 'opened',
  (cause: unknown) => String(cause),
)
console.log(JSON.stringify({ output, error, sum: steps[0]?.result, refused: !refused.includes('npm install pg') }))
await runtime.close()
await cloud.close()
server.close()
`

const compilerOptions = {
  strict: true,
  // also the types of everything that comes along
  skipLibCheck: false,
  declaration: true,
  module: 'nodenext',
  target: 'es2023',
  lib: ['es2023'],
  types: ['node'],
  outDir: 'out',
}

describe('the packed libraries', () => {
  let folder: string
  let packed: PackedPackage[]
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'homeward-versions-'))
    for (const one of libraryPackages())
      if ((await buildPackage(one)) !== 0) throw new Error(`Building ${one.name} failed.`)
    await mkdir(join(folder, 'archives'))
    packed = await packAll(join(folder, 'archives'), libraryPackages())
  }, 1_200_000)
  afterAll(() => rm(folder, { recursive: true, force: true }))

  /** An app with these packages, and with the archives of ours that it names. */
  async function createApp(name: string, versions: Record<string, string>, ours: readonly string[]) {
    const app = join(folder, name)
    await mkdir(app)
    const archives = Object.fromEntries(packed.map((one) => [one.name, `file:${one.tarball}`]))
    const named = Object.fromEntries(ours.map((one) => [one, archives[one] ?? '']))
    const manifest = { private: true, type: 'module', dependencies: { ...named, ...versions } }
    // what the archives require of each other is not in the registry yet
    await writeFile(
      join(app, 'package.json'),
      JSON.stringify({ ...manifest, overrides: archives, pnpm: { overrides: archives } }),
    )
    const lines = Object.entries(archives).map(([one, archive]) => `  '${one}': '${archive}'`)
    await writeFile(join(app, 'pnpm-workspace.yaml'), ['overrides:', ...lines, ''].join('\n'))
    return app
  }

  const npm = (app: string, ...args: string[]) =>
    run('npm', [...args, '--no-audit', '--no-fund', '--ignore-scripts'], { cwd: app, maxBuffer: 2 ** 26 })

  const pnpmInstall = (cwd: string) =>
    run('npm', ['exec', '--yes', '--package=pnpm@10', '--', 'pnpm', 'install', '--ignore-scripts'], { cwd })

  it.each([
    ['oldest', 'npm', oldest],
    ['newest', 'npm', newest],
    ['newest', 'pnpm', newest],
  ] as const)(
    'run, and compile without skipLibCheck, next to the %s versions that an app may have, with %s',
    async (age, manager, versions) => {
      const libraries = ['@homeward/agent-runtime', '@homeward/cloud-core']
      const tools = { ...versions, '@types/node': '^24.0.0', '@types/pg': '^8.11.0' }
      const app = await createApp(`${manager}-${age}`, tools, libraries)
      await (manager === 'npm' ? npm(app, 'install') : pnpmInstall(app))
      await writeFile(join(app, 'program.ts'), program)
      await writeFile(join(app, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['program.ts'] }))
      const compiler = join(app, 'node_modules/typescript/bin/tsc')
      const { stdout: errors } = await run(process.execPath, [compiler, '-p', app]).catch(
        (error: { readonly stdout: string }) => error,
      )
      // types of other packages are theirs: zod 4.2.0 has errors of its own
      expect(errors.split('\n').filter((line) => /@homeward|^[./]*program\.ts/.test(line))).toEqual([])
      const { stdout } = await run(process.execPath, [join(app, 'out/program.js')])
      expect(JSON.parse(stdout)).toEqual({ output: 'five', sum: 5, refused: true })
    },
    600_000,
  )

  it.each(['device-cloud', 'agent'] as const)(
    'start the template %s, which compiles and shows its page',
    async (template) => {
      const app = join(folder, template)
      await createProject({ folder: app, template, packs: join(folder, 'archives') })
      await npm(app, 'install')
      await run(process.execPath, [join(app, 'node_modules/typescript/bin/tsc'), '-p', app])
      const server = spawn(process.execPath, ['server.ts'], { cwd: app, env: { ...process.env, PORT: '0' } })
      try {
        const [address] = (await once(createInterface(server.stdout), 'line')) as [string]
        const page = await fetch(address)
        expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('<title>')])
        const path = template === 'agent' ? '/page.js' : '/api/devices'
        expect((await fetch(new URL(path, address))).status).toBe(200)
      } finally {
        server.kill('SIGKILL')
      }
    },
    600_000,
  )

  it('put no SQL builder and no cron on a device', async () => {
    const app = await createApp('device', {}, ['@homeward/device-sdk'])
    await npm(app, 'install', '--omit=dev')
    const { stdout } = await npm(app, 'ls', '--all', '--parseable')
    const names = new Set(stdout.split('\n').map((line) => basename(line)))
    expect([...names]).toEqual(expect.arrayContaining(['device-sdk', 'contract', 'kit', 'zod']))
    for (const needless of ['kysely', 'cron-parser', 'luxon', 'ajv', 'pg'])
      expect(names).not.toContain(needless)
    const entries = ['', '/node'].map((entry) => `await import('@homeward/device-sdk${entry}')`)
    await run(process.execPath, ['--input-type=module', '-e', entries.join('\n')], { cwd: app })
  }, 600_000)

  it('tell what each field and each operation is for, where an editor shows it', async () => {
    const types = join(libraryPackages().find(({ name }) => name === '@homeward/contract')!.folder, 'dist')
    const files = (await readdir(types, { recursive: true })).filter((file) => file.endsWith('.d.ts'))
    const text = (await Promise.all(files.map((file) => readFile(join(types, file), 'utf8')))).join('\n')
    const request = text.slice(text.indexOf('declare const RunRequest:'))
    expect(request).toMatch(/\/\*\* A later request with the same key [^\n]+ \*\/ idempotency_key:/)
    expect(text).toMatch(/\/\*\* Runs an agent, and responds when [^\n]+ \*\/ readonly runAgent:/)
    expect(text).toMatch(/\/\*\* [^\n]+ \*\/ readonly registerDevice:/)
    expect(text).not.toMatch(/ \([ACD]\d{1,2}(?:, [ACD]\d{1,2})*\)/)
  })
})
