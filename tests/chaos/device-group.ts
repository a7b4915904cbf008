import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

const program = fileURLToPath(new URL('./devices-program.ts', import.meta.url))
const prlimit = '/usr/bin/prlimit'

/** One device as its process knows it. */
export interface ChaosDevice {
  readonly id: string
  readonly apiKey: string
  readonly root: string
  readonly stateFolder: string
}

/** Several real agents in one process that is killed and started again. */
export interface DeviceGroup extends AsyncDisposable {
  start(): Promise<void>
  /** Ends it as a power cut would. */
  kill(): Promise<void>
  /** From now on no file can be written, or again. */
  fillDisk(isFull: boolean): void
  /** Sets the clocks of its devices. */
  jump(aheadMs: number): void
  /** Everything that it printed. */
  output(): string
}

/** Prepares a group; `settingsPath` is where its devices are written down. */
export async function createDeviceGroup(
  cloudUrl: string,
  devices: readonly ChaosDevice[],
  settingsPath: string,
): Promise<DeviceGroup> {
  await writeFile(settingsPath, JSON.stringify({ cloudUrl, devices }))
  let child: ChildProcess | undefined
  let output = ''

  async function kill(): Promise<void> {
    const ended = child
    child = undefined
    if (!ended || ended.exitCode !== null || ended.signalCode !== null) return
    const exit = once(ended, 'exit')
    ended.kill('SIGKILL')
    await exit
  }

  function expectAlive({ exitCode, signalCode }: ChildProcess): void {
    if (exitCode === null && signalCode === null) return
    throw new Error(`The devices ended by themselves (${exitCode ?? signalCode}): ${output.slice(-3000)}`)
  }

  return {
    async start() {
      child = spawn(process.execPath, ['--conditions=@homeward/source', program, settingsPath], {
        stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      })
      for (const stream of [child.stdout, child.stderr]) {
        stream?.on('data', (chunk: Buffer) => (output += chunk.toString()))
      }
      await once(child, 'message')
    },
    kill,
    fillDisk(isFull) {
      if (!child?.pid || !existsSync(prlimit)) return
      expectAlive(child)
      execFileSync(prlimit, ['--pid', String(child.pid), isFull ? '--fsize=0:' : '--fsize=unlimited:'])
    },
    jump: (aheadMs) => void child?.send(String(aheadMs)),
    output: () => output,
    [Symbol.asyncDispose]: kill,
  }
}
