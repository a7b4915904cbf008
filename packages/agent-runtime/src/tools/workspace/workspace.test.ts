import { execFile } from 'node:child_process'
import {
  link,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import * as fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { RuntimeError } from '../../ports/runtime-error.ts'
import { parseWorkspacePath } from './parse-workspace-path.ts'
import { prepareWorkspace } from './create-workspaces.ts'
import { openWorkspace } from './workspace.ts'

let home: string
let root: string
const content = (text: string) => Buffer.from(text)

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'homeward-workspace-'))
  root = await prepareWorkspace(home, 'agent')
  await writeFile(join(home, 'config.json'), 'outside')
})
afterEach(() => rm(home, { recursive: true, force: true }))

/** What lies in a folder and is open in this process. */
async function openIn(folder: string): Promise<string[]> {
  if (process.platform !== 'linux') return []
  const descriptors = await readdir('/proc/self/fd')
  const paths = await Promise.all(descriptors.map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')))
  return paths.filter((path) => path.startsWith(folder))
}

// every platform's way is tested on this one
describe.each([{ descriptors: process.platform === 'linux' }, { descriptors: false }])(
  '$descriptors',
  (how) => {
    const open = () => openWorkspace(root, how)
    const read = async (path: string) => Buffer.from((await open().read(path, 0, 1000)).bytes).toString()

    it('A18: writes, appends, reads and lists files in folders that it makes', async () => {
      await open().write('notes/today/plan.md', content('one'), 'replace')
      await open().write('./notes//today/plan.md', content(' two'), 'append')
      expect(await read('notes/today/plan.md')).toBe('one two')
      expect(await open().list('', true, 10)).toEqual([
        { path: 'notes', type: 'folder' },
        { path: 'notes/today', type: 'folder' },
        { path: 'notes/today/plan.md', type: 'file', size: 7 },
      ])
      expect(await open().list('notes', false, 10)).toEqual([{ path: 'notes/today', type: 'folder' }])
      expect(await open().check('notes/./today/new.md')).toBe('notes/today/new.md')
    })

    it('A18: replaces a file whole, and two at a time', async () => {
      await open().write('plan.md', content('a long one'), 'replace')
      await Promise.all([
        open().write('plan.md', content('one'), 'replace'),
        open().write('other.md', content('two'), 'replace'),
      ])
      expect([await read('plan.md'), await read('other.md')]).toEqual(['one', 'two'])
      expect(await readdir(root)).toEqual(['other.md', 'plan.md'])
    })

    it('A18: makes folders for its user alone, and none where only something is looked for', async () => {
      await expect(open().read('missing/deep/file', 0, 10)).rejects.toThrow('no such file')
      await expect(open().list('missing', true, 10)).rejects.toThrow('no such file')
      expect(await open().check('missing/file')).toBe('missing/file')
      expect(await readdir(root)).toEqual([])
      await open().write('a/b/file', content('x'), 'append')
      const modes = await Promise.all(['a', 'a/b', 'a/b/file'].map((path) => lstat(join(root, path))))
      expect(modes.map(({ mode }) => mode & 0o777)).toEqual([0o700, 0o700, 0o600])
    })

    it('A18: leaves no file or folder open, whatever happens', async () => {
      await open().write('a/file', content('x'), 'replace')
      await open().write('a/file', content('x'), 'append')
      await open().list('', true, 10)
      await open().read('a/file', 0, 10)
      await open().check('a/file')
      await symlink(home, join(root, 'link'))
      for (const path of ['link', 'link/x', 'a', 'a/file/x', 'a/none']) {
        await open()
          .read(path, 0, 10)
          .catch(() => {})
        await open()
          .write(path, content('x'), path === 'a' ? 'append' : 'replace')
          .catch(() => {})
        await open()
          .check(path)
          .catch(() => {})
      }
      await openWorkspace(root, { ...how, maxFileBytes: 2 })
        .write('a/file', content('x'), 'append')
        .catch(() => {})
      expect(await openIn(home)).toEqual([])
    })

    it('lists by name, so many and no more, and nothing that is only half written', async () => {
      const names = Array.from('qwertyuiop')
      for (const name of names) await writeFile(join(root, name), name)
      await writeFile(join(root, '.homeward-staging-x'), 'half')
      const listed = async (most: number) => (await open().list('', false, most)).map(({ path }) => path)
      expect(await listed(99)).toEqual(names.toSorted())
      expect(await listed(3)).toEqual(names.toSorted().slice(0, 3))
    })

    it('checks what is there already, folders and the workspace itself', async () => {
      await open().write('notes/plan.md', content('x'), 'replace')
      for (const [path, checked] of [
        ['notes/plan.md', 'notes/plan.md'],
        ['./notes/', 'notes'],
        ['', '.'],
        ['.', '.'],
      ] as const)
        expect(await open().check(path)).toBe(checked)
      await expect(open().check('notes/plan.md/x')).rejects.toMatchObject({
        code: 'validation_error',
        message: expect.stringMatching(/^Using "notes\/plan.md\/x" failed: the path contains a link/),
      })
    })

    it('removes what it left half written', async () => {
      const once = openWorkspace(root, { ...how, createId: () => 'x' })
      await writeFile(join(root, '.homeward-staging-x'), 'of another time')
      await expect(once.write('a', content('x'), 'replace')).rejects.toThrow('it already exists')
      expect(await readdir(root)).toEqual([])
    })

    it.each([
      '../config.json',
      'notes/../../config.json',
      '/etc/passwd',
      'C:\\Windows\\win.ini',
      'C:/Windows/win.ini',
      '..\\config.json',
      '\\\\server\\share',
      'plan.md\0.txt',
      'NUL',
      'notes/com1.txt',
      'aux .md',
      'LPT¹',
      'file:stream',
      'trailing.',
      '~/config.json',
      'a/'.repeat(40),
      'x'.repeat(300),
    ])('A18: refuses the path %j', async (path) => {
      await expect(open().read(path, 0, 10)).rejects.toThrow(RuntimeError)
      await expect(open().write(path, content('x'), 'replace')).rejects.toThrow(RuntimeError)
      await expect(open().list(path, false, 10)).rejects.toThrow(RuntimeError)
      await expect(open().check(path)).rejects.toThrow(RuntimeError)
    })

    it('A18: lists no deeper than a path may lead', async () => {
      const deepest = Array.from({ length: 40 }, (_, depth) => `d${depth}`)
      await mkdir(join(root, ...deepest), { recursive: true })
      const listed = await open().list('', true, 100)
      expect(listed.map(({ path }) => path.split('/').length)).toEqual(
        Array.from({ length: 32 }, (_, i) => i + 1),
      )
      expect(await open().list(listed.at(-1)?.path ?? '', true, 100)).toHaveLength(1)
    })

    it('A18: follows no link, to a file or to a folder, and replaces none', async () => {
      await symlink(join(home, 'config.json'), join(root, 'file'))
      await symlink(home, join(root, 'folder'))
      await symlink(join(home, 'missing'), join(root, 'dangling'))
      for (const path of ['file', 'folder/config.json', 'folder/new', 'dangling', 'folder']) {
        await expect(open().read(path, 0, 10)).rejects.toThrow(/link/)
        await expect(open().write(path, content('x'), 'replace')).rejects.toThrow(/link/)
        await expect(open().write(path, content('x'), 'append')).rejects.toThrow(/link/)
        await expect(open().check(path)).rejects.toThrow(/link/)
      }
      await expect(open().list('folder', true, 10)).rejects.toThrow(/link/)
      expect(await open().list('', true, 10)).toEqual([
        { path: 'dangling', type: 'other' },
        { path: 'file', type: 'other' },
        { path: 'folder', type: 'other' },
      ])
      expect(await readdir(home)).toEqual(['config.json', 'workspaces'])
      expect(await readFile(join(home, 'config.json'), 'utf8')).toBe('outside')
    })

    it('A18: refuses a second name of a file outside, a pipe and a device', async () => {
      await link(join(home, 'config.json'), join(root, 'hard'))
      await promisify(execFile)('mkfifo', [join(root, 'pipe')])
      await expect(open().read('hard', 0, 10)).rejects.toThrow('it is a hard link')
      await expect(open().write('hard', content('x'), 'append')).rejects.toThrow('it is a hard link')
      await expect(open().read('pipe', 0, 10)).rejects.toThrow('it is not a regular file')
      await expect(open().write('pipe', content('x'), 'append')).rejects.toThrow('it is not a regular file')
      expect(await readFile(join(home, 'config.json'), 'utf8')).toBe('outside')
    })

    it('says what is wrong without naming a folder of the host', async () => {
      const failures = await Promise.all(
        ['missing', 'missing/deep', ''].map((path) =>
          open()
            .read(path, 0, 10)
            .catch((error: Error) => error.message),
        ),
      )
      expect(failures).toEqual([
        'Reading "missing" failed: the workspace has no such file or folder.',
        'Reading "missing/deep" failed: the workspace has no such file or folder.',
        'Reading "" failed: the path is the workspace itself.',
      ])
      await mkdir(join(root, 'folder'))
      await expect(open().read('folder', 0, 10)).rejects.toThrow(
        /^Reading "folder" failed: it is a folder\.$/,
      )
      await expect(open().write('folder', content('x'), 'replace')).rejects.toThrow(
        /^Writing "folder" failed: it is a folder\.$/,
      )
      await expect(open().list('missing', false, 10)).rejects.toThrow(
        /^Listing "missing" failed: the workspace has no/,
      )
      const long = `${'x'.repeat(150)}/${'y'.repeat(50)}`
      await expect(open().read(long, 0, 10)).rejects.toMatchObject({
        code: 'validation_error',
        message: expect.stringContaining(`"${long.slice(0, 200)}..." failed`),
        cause: { code: 'ENOENT' },
      })
    })

    it('bounds the size of files, their sum and their number', async () => {
      const small = openWorkspace(root, { ...how, maxFileBytes: 10, maxBytes: 25, maxEntries: 4 })
      await expect(small.write('a', content('x'.repeat(11)), 'replace')).rejects.toThrow('at most 10 bytes')
      await small.write('a', content('x'.repeat(9)), 'replace')
      await small.write('a', content('x'), 'append')
      await expect(small.write('a', content('x'), 'append')).rejects.toThrow('at most 10 bytes')
      await small.write('b', content('x'.repeat(10)), 'replace')
      await expect(small.write('c', content('x'.repeat(10)), 'replace')).rejects.toThrow(
        'the workspace is full',
      )
      await symlink('x'.repeat(200), join(root, 'link')) // takes no room
      await small.write('c', content('12'), 'replace')
      await rm(join(root, 'link'))
      await small.write('c', content('345'), 'append')
      await expect(small.write('c', content('6'), 'append')).rejects.toThrow('the workspace is full')
      await writeFile(join(root, 'c'), '')
      await small.write('d', content('x'), 'replace')
      await expect(small.write('e', content(''), 'replace')).rejects.toThrow('too many files')
      expect(await readdir(root)).toEqual(['a', 'b', 'c', 'd'])
    })

    it('reads a piece of a file and says how large the whole is', async () => {
      await writeFile(join(root, 'long'), '0123456789')
      const piece = await open().read('long', 4, 3)
      expect({ text: Buffer.from(piece.bytes).toString(), size: piece.size }).toEqual({
        text: '456',
        size: 10,
      })
      expect((await open().read('long', 50, 3)).bytes).toHaveLength(0)
    })
  },
)

it('parses any text into names that stay where they are, or refuses it', () => {
  const pieces = fc.constantFrom('..', '.', '', 'a', 'nul', 'CON.txt', '\0', '\\', 'C:', '~', ' ', 'ü', '...')
  const path = fc.oneof(
    fc.string(),
    fc.array(pieces).map((parts) => parts.join('/')),
  )
  fc.assert(
    fc.property(path, (text) => {
      let names: string[]
      try {
        names = parseWorkspacePath(text, 'Reading')
      } catch (error) {
        expect(RuntimeError.is(error)).toBe(true)
        return
      }
      for (const name of names) expect(name).toMatch(/^(?!\.{1,2}$)[^/\\\0:]+(?<![. ])$/)
      expect(join('/root', ...names).startsWith('/root')).toBe(true)
    }),
  )
})

it('makes no workspace through a link, or for an id that names no folder', async () => {
  await rm(join(home, 'workspaces'), { recursive: true })
  await mkdir(join(home, 'elsewhere'))
  await symlink(join(home, 'elsewhere'), join(home, 'workspaces'))
  await expect(prepareWorkspace(home, 'agent')).rejects.toMatchObject({
    code: 'storage_error',
    cause: expect.any(Error),
    message: expect.stringMatching(/^Opening the workspace of agent "agent" failed/),
  })
  await expect(prepareWorkspace(home, '..')).rejects.toMatchObject({ code: 'validation_error' })
  for (const id of ['a/b', './agent', 'agent/', '.', ''])
    await expect(prepareWorkspace(home, id)).rejects.toMatchObject({ code: 'validation_error' })
  expect(await readdir(join(home, 'elsewhere'))).toEqual([])
})
