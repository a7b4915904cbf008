import { mkdir, mkdtemp, open, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openFolder } from './open-folder.ts'
import { openWorkspace } from './workspace.ts'

let root = ''

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'homeward-folder-'))
  await mkdir(join(root, 'door'))
  await mkdir(join(root, 'elsewhere'))
  for (const folder of ['door', 'elsewhere']) await writeFile(join(root, folder, 'file'), folder)
})
afterEach(() => rm(root, { recursive: true, force: true }))

/** Puts a link in place of the folder, or another folder. */
async function swap(kind: 'link' | 'folder'): Promise<void> {
  await rename(join(root, 'door'), join(root, 'kept'))
  if (kind === 'link') await symlink(join(root, 'elsewhere'), join(root, 'door'))
  else await rename(join(root, 'elsewhere'), join(root, 'door'))
}

describe('A18: where entries are reached by their paths', () => {
  const how = { descriptors: false }

  it('confirms a file that lies where the way leads', async () => {
    const folder = await openFolder(root, ['door'], how)
    const file = await open(folder.entry('file'))
    await folder.confirm('file', file)
    await file.close()
    await folder.close()
  })

  it.each(['link', 'folder'] as const)(
    'refuses a file that was opened behind a swap for a %s',
    async (kind) => {
      const folder = await openFolder(root, ['door'], how)
      await swap(kind)
      const file = await open(folder.entry('file'))
      await expect(folder.confirm('file', file)).rejects.toMatchObject({ code: 'ELOOP' })
      await file.close()
    },
  )

  it('refuses a file that was opened while another folder stood there for a moment', async () => {
    const folder = await openFolder(root, ['door'], how)
    const file = await open(join(root, 'elsewhere', 'file'))
    await expect(folder.confirm('file', file)).rejects.toMatchObject({ code: 'ELOOP' })
    await file.close()
  })

  it('refuses a link and a file on the way', async () => {
    await symlink(join(root, 'elsewhere'), join(root, 'link'))
    await expect(openFolder(root, ['link'], how)).rejects.toMatchObject({ code: 'ELOOP' })
    await expect(openFolder(join(root, 'link'), [], how)).rejects.toMatchObject({ code: 'ELOOP' })
    await expect(openFolder(root, ['door', 'file'], how)).rejects.toMatchObject({ code: 'ENOTDIR' })
    await expect(openFolder(root, ['none'], how)).rejects.toMatchObject({ code: 'ENOENT' })
  })
})

it.runIf(process.platform === 'linux')(
  'A18: a folder that was opened by descriptor stays the one it was',
  async () => {
    const folder = await openFolder(root, ['door'])
    await swap('link')
    const file = await open(folder.entry('file'))
    await folder.confirm('file', file)
    expect(await file.readFile('utf8')).toBe('door')
    expect(await readdir(folder.path)).toEqual(['file'])
    await file.close()
    await folder.close()
    await expect(open(folder.entry('file'))).rejects.toThrow()
  },
)

describe('limits of a workspace for which none are given', () => {
  it('takes files of 5 MiB and no larger', async () => {
    const workspace = openWorkspace(root)
    await workspace.write('large', new Uint8Array(5 * 1024 * 1024), 'replace')
    await expect(workspace.write('large', new Uint8Array(1), 'append')).rejects.toThrow(
      'the file must have at most 5242880 bytes',
    )
  })

  it('takes 512 MiB in all', async () => {
    const sparse = await open(join(root, 'door', 'sparse'), 'w')
    await sparse.truncate(512 * 1024 * 1024 - 'doorelsewhere'.length - 1)
    await sparse.close()
    const workspace = openWorkspace(root)
    await expect(workspace.write('a', Buffer.from('12'), 'replace')).rejects.toThrow('the workspace is full')
    await workspace.write('a', Buffer.from('1'), 'replace')
  })
})
