import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { workspaceFolder } from '../../scripts/workspace-packages.ts'
import { type ChildEnd, collectOutput } from './child-output.ts'

/** The reference server as `npm start` runs it, with its trial device. */
export interface TrialServer {
  /** Of the device cloud. */
  readonly url: string
  /** Of the agent platform. */
  readonly agentsUrl: string
  /** The `curl` lines that it printed. */
  readonly curlLines: readonly string[]
  /** Registers one more device and gives its API key. */
  register(name: string): Promise<string>
  /** Ends it and removes its data. */
  stop(): Promise<ChildEnd>
}

/** Starts the reference server on a free port, with a data folder of its own, and waits until its device is online. */
export async function startTrialServer(): Promise<TrialServer> {
  const home = await mkdtemp(join(tmpdir(), 'homeward-docs-server-'))
  const child = spawn(process.execPath, ['--conditions=@homeward/source', 'apps/homeward/src/main.ts'], {
    cwd: workspaceFolder,
    // as under npm, it ends when its parent does: a test run that is killed leaves nothing behind
    env: {
      PATH: process.env['PATH'],
      PORT: '0',
      CLOUD_PORT: '0',
      DASHBOARD: 'off',
      WEBHOOK_HOSTS: '127.0.0.1',
      HOMEWARD_HOME: home,
      npm_lifecycle_event: 'start',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output = collectOutput(child)
  const printed = (await output.waitFor(/^[^]*device: online/))?.[0]
  if (printed === undefined) throw new Error(`Starting the server failed: ${(await output.ended).output}`)
  const [, url = ''] = /device cloud: (\S+)/.exec(printed) ?? []
  const [, agentsUrl = ''] = /agent platform: (\S+)/.exec(printed) ?? []

  return {
    url,
    agentsUrl,
    curlLines: printed.split('\n').filter((line) => line.startsWith('  curl ')),
    async register(name) {
      const answer = await fetch(`${url}/api/devices`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ name, type: 'other', platform: 'other' }),
      })
      const { apiKey } = (await answer.json()) as { apiKey: string }
      return apiKey
    },
    async stop() {
      child.kill('SIGTERM')
      const end = await output.ended
      await rm(home, { recursive: true, force: true })
      return end
    },
  }
}
