import { chmod, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import type { SearchTask } from '../../ports/search-provider.ts'
import { createAppList } from './create-app-list.ts'
import { applicationFolders } from './list-linux-apps.ts'
import { type RunCommand, runCommand } from './run-command.ts'

const task = (query: string, maxRows = 1000): SearchTask => ({
  queryId: 'q',
  query,
  scope: 'apps',
  maxRows,
  signal: new AbortController().signal,
})

async function tempFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(path.join(tmpdir(), 'homeward-')))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

async function put(file: string, content: string): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true })
  await writeFile(file, content)
}

const entry = (name: string, exec: string, more = ''): string =>
  `[Desktop Entry]\nType=Application\nName=${name}\nExec=${exec}\n${more}`

it('lists Linux applications: own entries before shared ones, with what runs', async () => {
  const base = await tempFolder()
  const env = { XDG_DATA_HOME: `${base}/own`, XDG_DATA_DIRS: `${base}/shared:relative`, PATH: `${base}/bin` }
  await put(`${base}/bin/editor`, '')
  await chmod(`${base}/bin/editor`, 0o755)
  await put(`${base}/shared/applications/editor.desktop`, entry('Editor', 'editor %F', 'Name[de]=Schreiber'))
  await put(`${base}/shared/applications/kde/paint.desktop`, entry('Paint', 'paint'))
  await put(`${base}/shared/applications/gone.desktop`, entry('Gone', 'gone'))
  await put(`${base}/own/applications/gone.desktop`, entry('Gone', 'gone', 'Hidden=true'))
  await put(`${base}/flatpak.desktop`, entry('Gimp', '/usr/bin/flatpak run --command=gimp org.gimp.GIMP'))
  await mkdir(`${base}/own/flatpak/exports/share/applications`, { recursive: true })
  await symlink(
    `${base}/flatpak.desktop`,
    `${base}/own/flatpak/exports/share/applications/org.gimp.GIMP.desktop`,
  )
  await put(`${base}/proc/17/cmdline`, '/app/bin/gimp\0')
  await put(`${base}/proc/18/cmdline`, '')
  await put(`${base}/proc/self/cmdline`, 'paint\0')
  const apps = createAppList({ platform: 'linux', env, home: base, procFolder: `${base}/proc` })
  const { found, truncated } = await apps(task('*'))
  const own = found.filter((app) => app.path.startsWith(base))
  expect(truncated).toBe(false)
  expect(own).toEqual([
    { name: 'Editor', path: `${base}/bin/editor`, running: false },
    {
      name: 'Gimp',
      path: `${base}/own/flatpak/exports/share/applications/org.gimp.GIMP.desktop`,
      running: true,
    },
    { name: 'Paint', path: `${base}/shared/applications/kde/paint.desktop`, running: false },
  ])
  expect((await apps(task('schreib'))).found.map(({ name }) => name)).toEqual(['Editor'])
  expect(await apps(task('*', 1))).toMatchObject({ found: [{}], truncated: true })
})

it('looks into the XDG, Flatpak and Snap folders', () => {
  expect(applicationFolders({ home: '/home/ada', env: {} })).toEqual([
    '/home/ada/.local/share/applications',
    '/usr/local/share/applications',
    '/usr/share/applications',
    '/home/ada/.local/share/flatpak/exports/share/applications',
    '/var/lib/flatpak/exports/share/applications',
    '/var/lib/snapd/desktop/applications',
  ])
})

it('asks the programs of macOS and Windows by their full path', async () => {
  const mac = vi.fn<RunCommand>(async (file) =>
    file.endsWith('ps')
      ? '/Applications/A.app/Contents/MacOS/A\n'
      : '{"SPApplicationsDataType":[{"_name":"A","path":"/Applications/A.app"}]}',
  )
  expect(await createAppList({ platform: 'darwin', run: mac })(task('a'))).toEqual({
    found: [{ name: 'A', path: '/Applications/A.app', running: true }],
    truncated: false,
  })
  const windows = vi.fn<RunCommand>(async (file, [, key = '']) => {
    if (key.includes('WOW6432Node')) throw new Error('ERROR: the key was not found')
    if (file.endsWith('tasklist.exe')) return '"a.exe","1","Console","1","1 K"\r\n'
    return 'HKEY_X\\A\r\n    DisplayName    REG_SZ    A\r\n    DisplayIcon    REG_SZ    C:\\a\\a.exe\r\n'
  })
  const env = { SystemRoot: 'D:\\Win' }
  expect((await createAppList({ platform: 'win32', env, run: windows })(task('*'))).found).toEqual([
    { name: 'A', path: 'C:\\a\\a.exe', running: true },
  ])
  expect(windows.mock.calls.map(([file]) => file)).toContain('D:\\Win\\System32\\reg.exe')
})

it('reads what Windows prints in the code page of the console', async () => {
  const printed = 'HKEY_X\\A\r\n    DisplayName    REG_SZ    Caf\x82 \x9abersetzer\r\n'
  const run: RunCommand = async (_file, args, _signal, decode) => {
    if (args.includes('OEMCP')) return 'HKEY_LOCAL_MACHINE\\X\r\n    OEMCP    REG_SZ    850\r\n'
    return decode?.(Buffer.from(printed, 'latin1')) ?? ''
  }
  const { found } = await createAppList({ platform: 'win32', env: {}, run })(task('über'))
  expect(found.map(({ name }) => name)).toEqual(['Café Übersetzer'])
})

it('rejects where it cannot know: other systems, and a registry that cannot be read', async () => {
  await expect(createAppList({ platform: 'aix' })(task('*'))).rejects.toThrow(/not supported/)
  const run = vi.fn<RunCommand>().mockRejectedValue(new Error('denied'))
  await expect(createAppList({ platform: 'win32', run })(task('*'))).rejects.toThrow(/any uninstall key/)
  await expect(createAppList({ platform: 'darwin', run })(task('*'))).rejects.toThrow('denied')
})

it('runs programs without a shell, and stops them when the signal aborts', async () => {
  const { signal } = new AbortController()
  expect(await runCommand(process.execPath, ['-p', 'process.argv[1]', '$HOME; `id`'], signal)).toBe(
    '$HOME; `id`\n',
  )
  const stop = new AbortController()
  const running = runCommand(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], stop.signal)
  stop.abort(new Error('stopped'))
  await expect(running).rejects.toThrow('stopped')
})
