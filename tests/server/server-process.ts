import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { workspaceFolder } from '../../scripts/workspace-packages.ts'
import { askFor } from '../on-demand.ts'

/** The reference server as its own process; disposing of it kills it. */
export interface ServerProcess extends AsyncDisposable {
  /** Of the device cloud. */
  readonly url: string
  /** Of the device cloud. */
  readonly port: number
  /** Of the agent platform. */
  readonly agentsUrl: string
  /** The `curl` lines that it printed. */
  readonly curlLines: readonly string[]
  /** Everything that it printed. */
  output(): string
  /** Sends a signal and gives how the process ended, and after how many milliseconds. */
  end(signal: NodeJS.Signals): Promise<{ code: number | null; signal: string | null; tookMs: number }>
}

const startWithinMs = 120_000

/** What the machine has in its environment must not decide what a test sees: empty counts as absent. */
const none = Object.fromEntries(
  [
    'API_TOKEN',
    'DATABASE_URL',
    'DATABASE_DIRECT_URL',
    'PRESENCE_DATABASE_URL',
    'DEMO_MODEL',
    'ALLOWED_HOSTS',
    'REGISTRY_URL',
    'npm_lifecycle_event',
  ]
    .concat(['OPENAI', 'ANTHROPIC', 'GOOGLE', 'OPENROUTER'].map((name) => `${name}_API_KEY`))
    .map((name) => [name, '']),
)

/** Arguments of Node that start the source. */
export const sourceProgram = ['--conditions=@homeward/source', 'apps/homeward/src/main.ts']

async function builtProgram(): Promise<string> {
  const { inject } = await import('vitest') // `npm run record-upgrade` has none
  const folder = await askFor(inject('builtPort'))
  if (folder.startsWith('failed')) throw new Error(`Building the server for tests ${folder}`)
  return join(folder, 'main.js')
}

/**
 * Starts the reference server over the data folder `home`, on free ports, without a trial device.
 *
 * @param environment more variables
 * @param program arguments of Node that start it @default a build that all test files share, or the source where the server
 * shares the repository's files or builds its pages
 */
export async function startServer(
  home: string,
  environment: Readonly<Record<string, string>> = {},
  program?: readonly string[],
): Promise<ServerProcess> {
  const own = {
    HOST: '127.0.0.1',
    PORT: '0',
    CLOUD_PORT: '0',
    HOMEWARD_HOME: home,
    HOMEWARD_DEVICE: 'off',
    DASHBOARD: 'off',
  }
  const env = { ...process.env, ...none, ...own, ...environment }
  const needsRepository = env['HOMEWARD_DEVICE'] !== 'off' || env['DASHBOARD'] !== 'off'
  const args = program ?? (needsRepository ? sourceProgram : [await builtProgram()])
  const child = spawn(process.execPath, args, {
    cwd: workspaceFolder,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()))
  const [url, agentsUrl] = await printedUrls(child, () => output)
  const server: ServerProcess = {
    url,
    port: Number(new URL(url).port),
    agentsUrl,
    curlLines: output.split('\n').filter((line) => line.startsWith('  curl ')),
    output: () => output,
    async end(signal) {
      const startedMs = performance.now()
      if (child.exitCode === null && child.signalCode === null) {
        const exit = once(child, 'exit')
        child.kill(signal)
        await exit
      }
      return { code: child.exitCode, signal: child.signalCode, tookMs: performance.now() - startedMs }
    },
    async [Symbol.asyncDispose]() {
      await server.end('SIGKILL')
    },
  }
  return server
}

async function printedUrls(child: ChildProcess, output: () => string): Promise<[string, string]> {
  const { promise, resolve, reject } = Promise.withResolvers<[string, string]>()
  const look = () => {
    const [, cloud, agents] = /cloud: (http\S+)[^]*platform: (http\S+)[^]*\n\n/.exec(output()) ?? []
    if (cloud !== undefined && agents !== undefined) resolve([cloud, agents])
  }
  const timer = setTimeout(
    () => reject(new Error(`The server did not start in time:\n${output()}`)),
    startWithinMs,
  )
  child.stdout?.on('data', look)
  child.once('exit', () => reject(new Error(`The server ended at its start:\n${output()}`)))
  try {
    return await promise
  } catch (error) {
    child.kill('SIGKILL')
    throw error
  } finally {
    clearTimeout(timer)
  }
}

/** A data folder that is removed in the end. */
export async function createHome(): Promise<{ path: string } & AsyncDisposable> {
  const path = await mkdtemp(join(tmpdir(), 'homeward-server-'))
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}

/** Paths of all files that uploads left in a data folder, half-written ones included. */
export async function uploadedFiles(home: string): Promise<string[]> {
  const entries = await readdir(join(home, 'files'), { recursive: true, withFileTypes: true }).catch(() => [])
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted()
}
