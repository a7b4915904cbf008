import { once } from 'node:events'
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createRuntime } from '@homeward/agent-runtime'
import { createSqliteStore as createAgentStore } from '@homeward/agent-runtime/sqlite'
import { createSqliteStore } from '@homeward/cloud-core/sqlite'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { recordCli } from '../testing/recorded-cli.ts'
import { runDoctor, type DoctorOptions } from './run-doctor.ts'

let home = ''
let ends: (() => unknown)[] = []
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'homeward-doctor-'))
})
afterEach(async () => {
  for (const end of ends) await end()
  ends = []
  await rm(home, { recursive: true, force: true })
})

/** What is wrong with an installation that is sound but for what is given. */
async function errorsOf({ environment = {}, ...more }: Partial<DoctorOptions> = {}) {
  const own = { HOMEWARD_HOME: home, PORT: '0', CLOUD_PORT: '0', PATH: process.env['PATH'] }
  const checks = await runDoctor({ environment: { ...own, ...environment }, ...more })
  return checks.flatMap(({ findings }) => findings).filter(({ level }) => level === 'error')
}

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  ends.push(() => server.close())
  return (server.address() as AddressInfo).port
}

const makeCloudDatabase = () => createSqliteStore({ path: join(home, 'cloud.db') }).close()

it('finds nothing wrong with a sound installation', async () => {
  await makeCloudDatabase()
  expect(await errorsOf()).toEqual([])
})

describe('a broken installation', () => {
  const broken: Record<
    string,
    { breakIt?: () => unknown; options?: Partial<DoctorOptions>; says: RegExp; fix: RegExp }
  > = {
    'an old Node': { options: { nodeVersion: '20.1.0' }, says: /Node 20.1.0 is too old/, fix: /22\.18/ },
    'a variable that cannot be used': {
      options: { environment: { PORT: 'abc' } },
      says: /PORT: must be a port number/,
      fix: /Correct it/,
    },
    'a data home that is not a folder': {
      breakIt: () => writeFile(join(home, 'file'), ''),
      options: {
        environment: {
          get HOMEWARD_HOME() {
            return join(home, 'file')
          },
        },
      },
      says: /is not a folder/,
      fix: /HOMEWARD_HOME/,
    },
    'a data home that others can read': {
      breakIt: () => chmod(home, 0o755),
      says: /Other users/,
      fix: /chmod 700/,
    },
    'settings that are not JSON': {
      breakIt: () => writeFile(join(home, 'config.json'), '{', { mode: 0o600 }),
      says: /config\.json cannot be read as JSON/,
      fix: /Correct the file/,
    },
    'settings that others can read': {
      breakIt: () => writeFile(join(home, 'config.json'), '{}', { mode: 0o644 }),
      says: /Other users .*config\.json/,
      fix: /chmod 600/,
    },
    'a damaged database': {
      breakIt: () => writeFile(join(home, 'agents.db'), 'x'.repeat(5000)),
      says: /agents\.db cannot be read/,
      fix: /restore a backup/,
    },
    'a database of a newer release': {
      async breakIt() {
        await makeCloudDatabase()
        const database = new DatabaseSync(join(home, 'cloud.db'))
        database.exec("insert into migrations (version, name) values (999, 'later')")
        database.close()
      },
      says: /cloud\.db has schema version \d+, but this release supports at most/,
      fix: /Install that release/,
    },
    'a Postgres that does not respond': {
      options: { environment: { DATABASE_URL: 'postgres://ann:secret-word@127.0.0.1:1/none' } },
      says: /Postgres cannot be reached/,
      fix: /DATABASE_URL/,
    },
    'a full disk': {
      options: { readFreeBytes: async () => 1000 },
      says: /Only 0 MB are free/,
      fix: /Delete/,
    },
    'a clock that went back': {
      breakIt: makeCloudDatabase,
      options: { now: Date.UTC(2001, 0) },
      says: /The clock says 2001/,
      fix: /Set the clock/,
    },
    'an address for everybody without a token': {
      options: { environment: { HOST: '0.0.0.0' } },
      says: /no access token/,
      fix: /API_TOKEN/,
    },
    'a proxy in front without a token': {
      options: { environment: { ALLOWED_HOSTS: 'agents.example' } },
      says: /Through the proxy .*no access token/,
      fix: /API_TOKEN/,
    },
    'an identity provider that does not answer': {
      options: { environment: { OIDC_ISSUER: 'http://127.0.0.1:9', OIDC_CLIENT_ID: 'homeward' } },
      says: /Nobody can sign in at http:\/\/127\.0\.0\.1:9: .*does not answer/,
      fix: /Try again/,
    },
    'a skill that cannot be read': {
      async breakIt() {
        await mkdir(join(home, 'skills/broken'), { recursive: true })
        await writeFile(join(home, 'skills/broken/SKILL.md'), 'no front matter')
      },
      says: /skill broken cannot be used/,
      fix: /install it again/,
    },
    'a channel that is set up by half': {
      breakIt: () =>
        writeFile(join(home, 'config.json'), '{"channel_b_bot_token":"xoxb-1"}', { mode: 0o600 }),
      says: /channel slack does not work: channel_b_signing_secret is missing/,
      fix: /Set channel_b_signing_secret/,
    },
  }

  it('with names of things that do not exist is reported', async () => {
    const store = createAgentStore({ path: join(home, 'agents.db') })
    const runtime = createRuntime({ environment: {}, store, home })
    await runtime.agents.create({ id: 'known', model: 'openai/gpt', mcp_servers: [], collections: ['gone'] })
    await runtime.settings.update({ channel_d_default_agent_id: 'ghost' })
    await store.setChannelRoutes('channel_a', [{ conversation: '7', agentId: 'gone' }])
    await runtime.close()
    const problems = (await errorsOf()).map(({ problem }) => problem)
    expect(problems).toEqual([
      'The agent known uses the model openai/gpt, but the provider openai has no key.',
      'The agent known searches the collection gone, which does not exist.',
      'The setting channel_d_default_agent_id names the agent ghost, which does not exist.',
      'The route of 7 on channel_a names the agent gone, which does not exist.',
    ])
  })

  it.each(Object.entries(broken))(
    'with %s is reported, with what to do',
    async (_name, { breakIt, options, says, fix }) => {
      await breakIt?.()
      const errors = await errorsOf(options)
      expect(errors).toContainEqual({
        level: 'error',
        problem: expect.stringMatching(says),
        fix: expect.stringMatching(fix),
      })
      expect(JSON.stringify(errors)).not.toContain('secret-word')
    },
  )

  it('with a rejected key of a model provider is reported, and the key is not shown', async () => {
    const server = createServer((_request, response) =>
      response.writeHead(401).end('{"error":{"message":"No."}}'),
    )
    const port = await listen(server)
    const environment = { OPENAI_API_KEY: 'sk-secret-word', OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1` }
    const errors = await errorsOf({ environment })
    expect(errors).toMatchObject([
      { problem: expect.stringContaining('model provider openai cannot be used') },
    ])
    expect(JSON.stringify(errors)).not.toContain('secret-word')
  })

  it('finds that the identity provider has another issuer', async () => {
    const port = await listen(
      createServer((_request, response) =>
        response.setHeader('content-type', 'application/json').end('{"issuer":"https://other.example"}'),
      ),
    )
    const environment = { OIDC_ISSUER: `http://127.0.0.1:${port}`, OIDC_CLIENT_ID: 'homeward' }
    expect(await errorsOf({ environment })).toMatchObject([
      { problem: expect.stringContaining('another issuer'), fix: expect.stringContaining('Set OIDC_ISSUER') },
    ])
  })

  it('with a port of another program is reported', async () => {
    const port = await listen(createServer((_request, response) => response.end('no')))
    const errors = await errorsOf({ environment: { PORT: String(port) } })
    expect(errors).toMatchObject([
      { problem: expect.stringContaining('Another program uses'), fix: expect.stringContaining('PORT') },
    ])
  })
})

it('homeward doctor exits with 1 and prints findings as JSON', async () => {
  const environment = { HOMEWARD_HOME: home, PORT: 'abc' }
  const { exitCode, stdout, stderr } = await recordCli(['doctor', '--json'], { environment: { PORT: 'abc' } })
  expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: '' })
  const { findings } = JSON.parse(stdout) as { findings: object[] }
  expect(findings).toEqual([{ level: 'error', problem: expect.any(String), fix: expect.any(String) }])
  const words = await recordCli(['doctor'], { environment })
  expect(words.stdout).toMatch(/error +Environment: .*PORT[^]*Errors: 1, warnings: 0\./)
})
