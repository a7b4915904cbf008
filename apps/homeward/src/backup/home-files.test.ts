import { spawnSync } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createBackup } from './create-backup.ts'
import { openHomeFiles } from './home-files.ts'
import { restoreBackup } from './restore-backup.ts'
import { assertRestored } from './scratch.ts'

let folder = ''
let home = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'homeward-home-files-'))
  home = join(folder, 'home')
  await mkdir(join(home, 'workspaces', 'a'), { recursive: true })
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const options = () => ({ home, databaseUrl: undefined, file: join(folder, 'out.zip'), version: '1' })
const restored = async (lines: string[] = []) => {
  await createBackup({ ...options(), onProgress: (line) => lines.push(line) })
  const again = join(folder, 'again')
  await restoreBackup({ file: options().file, home: again, databaseUrl: undefined })
  return again
}

it('follows the links of the operator, and no link in a workspace', async () => {
  const disk = join(folder, 'disk')
  await mkdir(disk)
  await writeFile(join(disk, 'one'), 'moved')
  await symlink(disk, join(home, 'files'))
  await symlink(home, join(disk, 'loop'))
  await writeFile(join(folder, 'linked'), 'linked')
  await symlink(join(folder, 'linked'), join(home, 'config.json'))
  await writeFile(join(folder, 'secret'), 'secret')
  await symlink(join(folder, 'secret'), join(home, 'workspaces', 'a', 'link'))
  await symlink(folder, join(home, 'workspaces', 'a', 'folder'))
  await writeFile(join(home, 'workspaces', 'a', 'own'), 'own')
  const lines: string[] = []
  const again = await restored(lines)
  expect(await readFile(join(again, 'files', 'one'), 'utf8')).toBe('moved')
  expect(await readFile(join(again, 'config.json'), 'utf8')).toBe('linked')
  expect(await readdir(join(again, 'workspaces', 'a'))).toEqual(['own'])
  expect(lines).toContain('2 links in workspaces of agents are left out.')
})

it('names a link to nothing', async () => {
  await symlink(join(folder, 'gone'), join(home, 'files'))
  await expect(createBackup(options())).rejects.toThrow(`the link ${join(home, 'files')} leads to nothing`)
})

it('leaves out what a program puts in the place of a file or a folder while the backup runs', async () => {
  const workspace = join(home, 'workspaces', 'a')
  await mkdir(join(workspace, 'deep'))
  const names = ['1', '2', 'deep/x']
  for (const name of names) await writeFile(join(workspace, name), 'own')
  await writeFile(join(folder, 'x'), 'secret')
  const read: string[] = []
  for await (const { name, handle } of openHomeFiles(
    home,
    () => false,
    () => {},
  )) {
    read.push(`${name}: ${await handle.readFile('utf8')}`)
    if (read.length > 1) continue
    const other = name.endsWith('1') ? '2' : '1'
    await rm(join(workspace, other))
    await symlink(join(folder, 'x'), join(workspace, other))
    await rename(join(workspace, 'deep'), join(workspace, 'shallow'))
    await symlink(folder, join(workspace, 'deep'))
  }
  expect(read.join()).not.toContain('secret')
})

it('deletes what a killed process left behind, and refuses to start on half a restore', async () => {
  const { pid } = spawnSync(process.execPath, ['-e', ''])
  await mkdir(join(folder, `.homeward-backup-${pid}-x`))
  await mkdir(join(folder, `.homeward-backup-${process.pid}-x`))
  const again = join(folder, 'again')
  await mkdir(join(again, `.restoring-${pid}-x`), { recursive: true })
  expect(() => assertRestored(again)).toThrow('a restore into')
  await restored()
  expect((await readdir(folder)).filter((name) => name.startsWith('.'))).toEqual([
    `.homeward-backup-${process.pid}-x`,
  ])
  expect((await readdir(again)).filter((name) => name.startsWith('.'))).toEqual([])
  expect(() => assertRestored(again)).not.toThrow()
})
