import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { workspaceFolder } from '../../scripts/workspace-packages.ts'

/** The reference server as its own process; disposing of it kills it. */
export interface ServerProcess extends AsyncDisposable {
  readonly url: string
  readonly port: number
  /** Everything that it printed. */
  output(): string
  /** Sends a signal and gives how the process ended, and after how many milliseconds. */
  end(signal: NodeJS.Signals): Promise<{ code: number | null; signal: string | null; tookMs: number }>
}

const startWithinMs = 30_000

/** Starts the reference server over the data folder `home`, on a free port. */
export async function startServer(home: string): Promise<ServerProcess> {
  const child = spawn(process.execPath, ['--conditions=@homeward/source', 'examples/server/main.ts'], {
    cwd: workspaceFolder,
    env: { ...process.env, CLOUD_PORT: '0', HOMEWARD_HOME: home, HOMEWARD_DEVICE: 'off', HOST: '127.0.0.1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()))
  const url = await printedUrl(child, () => output)
  const server: ServerProcess = {
    url,
    port: Number(new URL(url).port),
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

async function printedUrl(child: ChildProcess, output: () => string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const look = () => {
    const url = /http:\/\/127\.0\.0\.1:\d+/.exec(output())?.[0]
    if (url !== undefined) resolve(url)
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
