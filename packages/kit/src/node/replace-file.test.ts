import { spawnSync } from 'node:child_process'
import { chmod, mkdtemp, readdir, readFile, readlink, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { replaceFile } from './replace-file.ts'

let folder: string
let file: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'replace-file-'))
  file = join(folder, 'config.json')
  await writeFile(file, 'old', { mode: 0o640 })
})
afterEach(() => rm(folder, { recursive: true }))

it.skipIf(process.platform === 'win32')(
  'keeps the old text when the disk takes only a part of the new one',
  async () => {
    // A limit for the size of files ends a write in its middle as a full disk does.
    const program = `
    import { replaceFile } from ${JSON.stringify(new URL('./replace-file.ts', import.meta.url).href)}
    process.on('SIGXFSZ', () => {})
    await replaceFile(${JSON.stringify(file)}, 'n'.repeat(100_000)).catch(({ code }) => process.stdout.write(code))`
    const limited = [
      '-c',
      'ulimit -f 16 && exec "$0" "$@"',
      process.execPath,
      '--input-type=module',
      '-e',
      program,
    ]
    const { stdout } = spawnSync('sh', limited, { encoding: 'utf8' })
    expect(stdout).toBe('EFBIG')
    expect(await readFile(file, 'utf8')).toBe('old')
    expect(await readdir(folder)).toEqual(['config.json'])
  },
)

it.skipIf(process.platform === 'win32')(
  'keeps the mode of the file, or gives it the one that is named',
  async () => {
    await chmod(file, 0o666) // more than the mask of a process leaves
    await replaceFile(file, 'new')
    expect([(await stat(file)).mode & 0o777, await readFile(file, 'utf8')]).toEqual([0o666, 'new'])
    await replaceFile(file, 'newer', { mode: 0o600 })
    expect((await stat(file)).mode & 0o777).toBe(0o600)
  },
)

it.skipIf(process.platform === 'win32')('replaces what a link leads to, and keeps the link', async () => {
  const link = join(folder, 'link.json')
  await symlink('config.json', link)
  await replaceFile(link, 'new')
  expect([await readlink(link), await readFile(file, 'utf8')]).toEqual(['config.json', 'new'])
})

it('makes a file that is not there', async () => {
  const other = join(folder, 'other.json')
  await replaceFile(other, 'new')
  expect(await readFile(other, 'utf8')).toBe('new')
})
