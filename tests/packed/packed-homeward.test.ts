import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, stat, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createProject } from '../../apps/create-homeward/src/create-project.ts'
import { problemsOfPack } from '../../scripts/packs/problems-of-pack.ts'
import { createHome, startServer } from '../server/server-process.ts'
import { installProgram, type InstalledProgram } from './install-program.ts'

const megabyte = 1024 * 1024

async function sizeOf(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile())
  const sizes = await Promise.all(
    files.map(async ({ parentPath, name }) => (await stat(join(parentPath, name))).size),
  )
  return sizes.reduce((total, size) => total + size, 0)
}

interface Reply {
  readonly devices?: readonly { readonly id: string }[]
}

/** Gets an address, or posts a body to it. */
async function ask(url: string, body?: object): Promise<Reply> {
  const headers = { 'content-type': 'application/json' }
  const post = { method: 'POST', headers, body: JSON.stringify(body) }
  return (await (await fetch(url, body && post)).json()) as Reply
}

describe('the package homeward in an empty folder', () => {
  let installed: InstalledProgram
  beforeAll(async () => {
    installed = await installProgram('homeward')
  })
  afterAll(() => installed?.[Symbol.asyncDispose]())

  it('holds all that it needs, and little more', async () => {
    expect(await problemsOfPack(installed.packed)).toEqual([])
    // npx installs less than 60 MB: the packages for Postgres, which this folder lacks, are 14 MB
    expect(await sizeOf(join(installed.folder, 'node_modules'))).toBeLessThan(40 * megabyte)
  })

  it('says what it can do, and its version', async () => {
    const run = (...args: string[]) => promisify(execFile)(process.execPath, [installed.program, ...args])
    expect((await run('--help')).stdout).toContain('homeward <command> --help')
    expect((await run('--version')).stdout).toBe(`${installed.packed.version}\n`)
    expect((await run('chat', '--help')).stdout).toContain('homeward chat')
  })

  it('starts both servers with their pages, builds nothing, and shares none of the user’s files', async () => {
    await using home = await createHome()
    const environment = { DASHBOARD: 'on', HOMEWARD_DEVICE: 'on', DEVICE_INTERVAL_MS: '200' }
    await using server = await startServer(home.path, environment, [installed.program, 'start'])
    expect(server.output()).not.toContain('dashboard:') // what a build says
    for (const url of [server.url, server.agentsUrl]) {
      const [, script] = /src="(\/assets\/[^"]+)"/.exec(await (await fetch(url)).text()) ?? []
      expect((await fetch(`${url}${script}`)).headers.get('content-type')).toContain('javascript')
    }
    const { devices } = await ask(`${server.url}/api/devices`)
    const deviceId = devices?.[0]?.id
    await ask(`${server.url}/api/devices/search/query`, {
      query: 'SKILL.md',
      scope: ['files'],
      deviceIds: [deviceId],
    })
    await expect
      .poll(async () => (await fetch(`${server.url}/api/devices/search/query?deviceId=${deviceId}`)).text())
      .toContain('homeward/skills/device-search/SKILL.md')
  })

  it('runs the demo agent, and loads what only some requests need', async () => {
    await using home = await createHome()
    await using server = await startServer(home.path, {}, [installed.program, 'start'])
    expect((await fetch(`${server.agentsUrl}/health`)).status).toBe(200)
    const task = { agent_id: 'demo', task: 'Which devices do I have, and which of them are online?' }
    expect(await ask(`${server.agentsUrl}/api/agents/run`, task)).toMatchObject({ tool_calls: 1 })
    const scheduled = { id: 'daily', model: 'test/echo', schedule: '0 8 * * *' }
    expect(await ask(`${server.agentsUrl}/api/agents`, scheduled)).toMatchObject({ ok: true })
    expect(await (await fetch(`${server.agentsUrl}/metrics`)).text()).toContain('# TYPE')
  })

  it('starts the template of a home by its script', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'homeward-template-'))
    try {
      await createProject({ folder, template: 'home' })
      await symlink(join(installed.folder, 'node_modules'), join(folder, 'node_modules'), 'dir')
      const { scripts } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as {
        scripts: Record<'start' | 'backup' | 'doctor', string>
      }
      for (const name of ['start', 'backup', 'doctor'] as const) {
        const [, ...args] = scripts[name].split(' ')
        const { stdout } = await promisify(execFile)(process.execPath, [...args, '--help'], { cwd: folder })
        expect(stdout).toContain(`homeward ${name}`)
      }
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  })

  it('names what to install for Postgres', async () => {
    await using home = await createHome()
    const starting = startServer(home.path, { DATABASE_URL: 'postgres://ann@127.0.0.1:1/none' }, [
      installed.program,
      'start',
    ])
    await expect(starting).rejects.toThrow('Run "npm install pg"')
  })
})

it('installs the conformance runner as one package, without the application', async () => {
  await using installed = await installProgram('homeward-conformance')
  expect(await problemsOfPack(installed.packed)).toEqual([])
  expect(await readdir(join(installed.folder, 'node_modules'))).toEqual(
    expect.arrayContaining(['homeward-conformance']),
  )
  expect(await sizeOf(join(installed.folder, 'node_modules'))).toBeLessThan(2 * megabyte)
  const { stdout } = await promisify(execFile)(process.execPath, [installed.program, '--help'])
  expect(stdout).toContain('homeward-conformance device')
})
