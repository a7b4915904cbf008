import { fork } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { lstat, mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openWorkspace } from './workspace.ts'

// swaps the folder "door" for a link to the folder outside and back, as fast as it can
const swapper = `
import { renameSync, rmSync, symlinkSync, unlinkSync } from 'node:fs'
const [door, kept, outside] = process.argv.slice(2)
process.send('ready')
for (;;) {
  try {
    renameSync(door, kept)
    symlinkSync(outside, door)
    unlinkSync(door)
    renameSync(kept, door)
  } catch {
    // somebody made the folder anew meanwhile
    try {
      rmSync(door, { recursive: true, force: true })
      renameSync(kept, door)
    } catch {}
  }
}
`

let home: string
let root: string
let outside: string
let swapping: ChildProcess

beforeEach(async () => {
  home = await realpath(await mkdtemp(join(tmpdir(), 'homeward-race-')))
  root = join(home, 'workspace')
  outside = join(home, 'outside')
  await mkdir(join(root, 'door'), { recursive: true })
  await mkdir(outside)
  await writeFile(join(root, 'door', 'file'), 'inside')
  await writeFile(join(outside, 'file'), 'outside')
  await writeFile(join(home, 'swapper.mjs'), swapper)
  swapping = fork(join(home, 'swapper.mjs'), [join(root, 'door'), join(root, 'kept'), outside])
  await once(swapping, 'message')
})
afterEach(async () => {
  expect(swapping.exitCode, 'the race ended early').toBeNull()
  swapping.kill('SIGKILL')
  await once(swapping, 'exit')
  await rm(home, { recursive: true, force: true })
})

/** What most programs do: looks at the path, then opens it. */
async function readNaively(path: string): Promise<string> {
  const real = await realpath(join(root, path))
  if (!real.startsWith(root)) throw new Error('outside')
  if ((await lstat(join(root, 'door'))).isSymbolicLink()) throw new Error('a link')
  return await readFile(join(root, path), 'utf8')
}

// macOS has a flag that does the same; on other systems the check can only make the way out narrow
const isLinux = process.platform === 'linux'

it.runIf(isLinux)(
  'A18: a folder that is swapped for a link while it reads leads nowhere',
  async () => {
    const workspace = openWorkspace(root)
    const seen = new Map<string, number>()
    const count = (text: string): void => void seen.set(text, (seen.get(text) ?? 0) + 1)
    // the naive way has to be caught, or this race proves nothing
    for (let round = 0; round < 300 || (round < 50_000 && !seen.has('naive outside')); round += 1) {
      await readNaively('door/file').then(
        (text) => count(`naive ${text}`),
        () => count('naive error'),
      )
      await workspace.read('door/file', 0, 100).then(
        ({ bytes }) => count(String(Buffer.from(bytes))),
        () => count('error'),
      )
      const listed = await workspace.list('door', true, 10).catch(() => [])
      for (const entry of listed) count(entry.path)
    }
    expect(seen.get('naive outside')).toBeGreaterThan(0)
    expect(seen.get('inside')).toBeGreaterThan(0)
    expect(seen.get('outside')).toBeUndefined()
  },
  60_000,
)

it.runIf(isLinux)(
  'A18: nothing is written outside either',
  async () => {
    const workspace = openWorkspace(root)
    let written = 0
    for (let round = 0; round < 800; round += 1) {
      const mode = round % 2 === 0 ? 'replace' : 'append'
      await workspace.write('door/new', Buffer.from('inside'), mode).then(
        () => (written += 1),
        () => undefined,
      )
    }
    expect(written).toBeGreaterThan(0)
    expect(await readdir(outside)).toEqual(['file'])
    expect(await readFile(join(outside, 'file'), 'utf8')).toBe('outside')
  },
  60_000,
)
