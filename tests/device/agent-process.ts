import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { onTestFinished } from 'vitest'

const main = resolve(import.meta.dirname, '../../apps/homeward/src/device/main.ts')

/** What the example agent is started with. */
export interface AgentProcessOptions {
  readonly cloudUrl: string
  /** @default none: the device enrolls */
  readonly apiKey?: string
  /** Lets a device in that enrolls. @default none */
  readonly enrollmentToken?: string
  /** @default that of the machine */
  readonly name?: string
  readonly roots: readonly string[]
  readonly stateFolder: string
  readonly intervalMs?: number
  /** Path of the program. @default the source of this landing */
  readonly program?: string
  /** Variables besides these. @default none */
  readonly environment?: Readonly<Record<string, string>>
}

/** The example agent in a process of its own. */
export interface AgentProcess {
  /** Lines that it logged, without their time. */
  readonly lines: readonly string[]
  /** Resolves with the first line that holds `text`; rejects when the process ends without it. */
  line(text: string): Promise<string>
  /** Ends it as a power cut would. */
  kill(): Promise<void>
  /** Asks it to end; gives its exit code and how long it took. */
  terminate(): Promise<{ code: number | null; tookMs: number }>
}

/** Starts the example agent; it is gone when the test is over. */
export function startAgentProcess(options: AgentProcessOptions): AgentProcess {
  const { cloudUrl, apiKey = '', enrollmentToken = '', name, roots, stateFolder, intervalMs = 2000 } = options
  const child = spawn(process.execPath, ['--conditions=@homeward/source', options.program ?? main], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      CLOUD_URL: cloudUrl,
      DEVICE_API_KEY: apiKey,
      ENROLLMENT_TOKEN: enrollmentToken,
      ...(name !== undefined && { DEVICE_NAME: name }),
      DEVICE_ROOTS: roots.join(':'),
      DEVICE_STATE: stateFolder,
      DEVICE_INTERVAL_MS: String(intervalMs),
      ...options.environment,
    },
  })
  const lines: string[] = []
  const waiting = new Set<() => void>()
  const wake = () => waiting.forEach((check) => check())
  let rest = ''
  for (const output of [child.stdout, child.stderr]) {
    output.setEncoding('utf8').on('data', (chunk: string) => {
      const parts = (rest + chunk).split('\n')
      rest = parts.pop() ?? ''
      lines.push(...parts.map((part) => part.replace(/^\S+Z /, '')))
      wake()
    })
  }
  const ended = once(child, 'close').then(wake)
  const isOver = () => child.exitCode !== null || child.signalCode !== null
  const kill = async () => {
    child.kill('SIGKILL')
    await ended
  }
  onTestFinished(kill)

  return {
    lines,
    line: (text) =>
      new Promise((found, reject) => {
        const check = () => {
          const line = lines.find((candidate) => candidate.includes(text))
          if (line === undefined && !isOver()) return
          waiting.delete(check)
          if (line === undefined) reject(new Error(`the agent ended without "${text}":\n${lines.join('\n')}`))
          else found(line)
        }
        waiting.add(check)
        check()
      }),
    kill,
    async terminate() {
      const fromMs = performance.now()
      child.kill('SIGTERM')
      await ended
      return { code: child.exitCode, tookMs: performance.now() - fromMs }
    },
  }
}

/** What the outbox of a state folder holds, as it lies on the disk. */
export async function readOutbox(stateFolder: string): Promise<{ queryId: string; state: string }[]> {
  const folder = join(stateFolder, 'outbox')
  const names = (await readdir(folder)).filter((name) => name.endsWith('.json'))
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')))
  return texts.map((text) => JSON.parse(text) as { queryId: string; state: string })
}
