import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, rmdir, stat } from 'node:fs/promises'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'

const folder = fileURLToPath(new URL('.', import.meta.url))
const fromHere = createRequire(import.meta.url)

/** Names that packages give to the processors they are built for. */
const arm64 = { node: 'arm64', bun: 'aarch64' }
const processor = (kind: 'node' | 'bun') => (process.arch === 'arm64' ? arm64[kind] : process.arch)
const deno =
  process.platform === 'linux' ? `linux-${process.arch}-glibc` : `${process.platform}-${process.arch}`

/** A program of a runtime and the arguments that come before the file to run. */
export interface Runtime {
  readonly name: string
  /** Path of the program inside `node_modules`. */
  readonly program: string
  readonly args: readonly string[]
}

/** Every runtime that runs as a program; workerd is run by miniflare. */
export const runtimes: readonly Runtime[] = [
  { name: 'Node 22', program: `node22-${process.platform}-${processor('node')}/bin/node`, args: [] },
  { name: 'Node 26', program: `node26-${process.platform}-${processor('node')}/bin/node`, args: [] },
  { name: 'Bun', program: `@oven/bun-${process.platform}-${processor('bun')}/bin/bun`, args: ['run'] },
  { name: 'Deno', program: `@deno/${deno}/deno`, args: ['run', '--allow-all', '--no-check', '--quiet'] },
]

const isInstalled = () => existsSync(new URL('node_modules/.package-lock.json', import.meta.url))
const lock = new URL('.installing/', import.meta.url)
/** One that is older was left by a process that was killed. */
const staleLockMs = 600_000

/**
 * Installs the runtimes, once, also when several test files ask at the same time. They are no part of the workspace's
 * lockfile: together they take about 700 MB.
 */
export async function installRuntimes(): Promise<void> {
  while (!isInstalled()) {
    if (await takeLock()) {
      try {
        return await install()
      } finally {
        await rmdir(lock)
      }
    }
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  // npm writes its own lockfile while it still writes the programs.
  while (existsSync(lock)) await new Promise((resolve) => setTimeout(resolve, 200))
}

async function takeLock(): Promise<boolean> {
  try {
    await mkdir(lock)
    return true
  } catch {
    const age = await stat(lock).then(
      ({ mtimeMs }) => Date.now() - mtimeMs,
      () => 0,
    )
    if (age > staleLockMs) await rmdir(lock).catch(() => undefined)
    return false
  }
}

async function install(): Promise<void> {
  if (isInstalled()) return
  // Not `ci`: it refuses a lockfile without builds for other processors, and some registries do not have those.
  const args = ['install', '--no-save', '--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund']
  const child = spawn('npm', args, { stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)))
  const [code] = (await once(child, 'close')) as [number | null]
  if (code !== 0) throw new Error(`Installing the runtimes failed: npm ${args.join(' ')}\n${output}`)
}

/** Path of a runtime's program, or why it is not there. */
export function programOf({ name, program }: Runtime): { path: string } | { reason: string } {
  const path = `${folder}node_modules/${program}`
  if (existsSync(path)) return { path }
  return {
    reason: `${name} has no build for ${process.platform} ${process.arch} here: ${program} is missing`,
  }
}

/** Miniflare of this folder, as far as the tests use it. */
interface MiniflareModule {
  readonly Miniflare: new (options: Readonly<Record<string, unknown>>) => {
    readonly ready: Promise<URL>
    dispatchFetch(url: string, init?: RequestInit): Promise<Response>
    dispose(): Promise<void>
  }
}

/** Loads it: it is not there before {@link installRuntimes}. */
export const loadMiniflare = () => fromHere('miniflare') as MiniflareModule
