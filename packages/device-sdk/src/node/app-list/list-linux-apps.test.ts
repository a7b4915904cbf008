import { execFileSync } from 'node:child_process'
import { chmod, mkdir, mkdtemp, realpath, rm, symlink, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { listLinuxApps } from './list-linux-apps.ts'

async function machine() {
  const base = await realpath(await mkdtemp(path.join(tmpdir(), 'homeward-')))
  onTestFinished(() => rm(base, { recursive: true, force: true }))
  const put = async (file: string, content = ''): Promise<string> => {
    const full = path.join(base, file)
    await mkdir(path.dirname(full), { recursive: true })
    await writeFile(full, content)
    return full
  }
  const program = async (file: string): Promise<string> => {
    const full = await put(file)
    await chmod(full, 0o755)
    return full
  }
  const link = async (target: string, file: string): Promise<void> => {
    await mkdir(path.dirname(path.join(base, file)), { recursive: true })
    await symlink(target, path.join(base, file))
  }
  const entry = (file: string, exec: string, more = '') =>
    put(
      `data/applications/${file}.desktop`,
      `[Desktop Entry]\nType=Application\nName=${path.basename(file)}\nExec=${exec}\n${more}`,
    )
  let pid = 1
  const run = async (commandLine: readonly string[], binary?: string): Promise<void> => {
    pid += 1
    await put(`proc/${pid}/cmdline`, commandLine.join('\0') + '\0')
    if (binary !== undefined) await link(binary, `proc/${pid}/exe`)
  }
  const env = { XDG_DATA_HOME: `${base}/data`, XDG_DATA_DIRS: `${base}/none`, PATH: `${base}/bin` }
  const list = async (signal = new AbortController().signal) => {
    const { apps } = await listLinuxApps({ home: base, env, procFolder: `${base}/proc` }, signal)
    const own = apps.filter((app) => !/^\/(?:usr|var|snap)\//.test(app.path))
    return Object.fromEntries(own.map(({ name, running }) => [name, running]))
  }
  return { base, put, program, link, entry, run, list }
}

it('reads regular files only, and of each no more than it needs', async () => {
  const { base, put, link, entry, list } = await machine()
  await entry('good', 'good')
  for (const name of ['pipe', 'other']) {
    execFileSync('mkfifo', [path.join(base, name)])
    await link(path.join(base, name), `data/applications/${name}.desktop`)
  }
  await link('/dev/zero', 'data/applications/zero.desktop')
  await link(`${base}/gone`, 'data/applications/gone.desktop')
  await mkdir(path.join(base, 'data/applications/folder.desktop'))
  const large = await put(
    'data/applications/large.desktop',
    '[Desktop Entry]\nType=Application\nName=large\n',
  )
  await truncate(large, 4 * 2 ** 30)
  for (let times = 0; times < 6; times += 1) expect(Object.keys(await list())).toEqual(['good', 'large'])
})

it('enters linked folders, and each folder once', async () => {
  const { base, put, link, list } = await machine()
  await put('dotfiles/linked.desktop', '[Desktop Entry]\nType=Application\nName=Linked\nExec=linked')
  await link(`${base}/dotfiles`, 'data/applications/mine')
  await link(`${base}/data/applications`, 'dotfiles/loop')
  expect(await list()).toEqual({ Linked: false })
})

it('leaves out an entry whose TryExec is not there, and keeps one whose TryExec is', async () => {
  const { program, entry, list } = await machine()
  await program('bin/here')
  await entry('by-name', 'x', 'TryExec=here')
  await entry('by-path', 'x', 'TryExec=/nowhere/here')
  await entry('missing', 'x', 'TryExec=not-installed-anywhere')
  expect(Object.keys(await list())).toEqual(['by-name'])
})

describe('an application runs', () => {
  it('when its script lies beside a binary of another name', async () => {
    const { base, program, link, entry, run, list } = await machine()
    await program('opt/vendor/browser/browser-stable')
    await link(`${base}/opt/vendor/browser/browser-stable`, 'bin/browser')
    await program('opt/suite/program/writer')
    await entry('Browser', 'browser %U')
    await entry('Office', `${base}/opt/suite/program/writer %U`)
    expect(await list()).toEqual({ Browser: false, Office: false })
    await run([`${base}/opt/vendor/browser/chrome`, '--type=zygote'], `${base}/opt/vendor/browser/chrome`)
    await run([`${base}/opt/suite/program/writer.bin`], `${base}/opt/suite/program/writer.bin`)
    expect(await list()).toEqual({ Browser: true, Office: true })
  })

  it('when its launcher lies in its own bin, and something below the folder runs', async () => {
    const { base, program, entry, run, list } = await machine()
    await program('opt/idea/bin/idea.sh')
    await entry('IDEA', `"${base}/opt/idea/bin/idea.sh" %f`)
    await run([`${base}/opt/idea/jbr/bin/java`, 'com.example.Main'], `${base}/opt/idea/jbr/bin/java`)
    expect(await list()).toEqual({ IDEA: true })
  })

  it('of another user, with its arguments joined by spaces', async () => {
    const { base, program, entry, run, list } = await machine()
    await program('share/My Editor/bin/editor')
    await program('share/My Editor/main')
    await entry('Editor', `"${base}/share/My Editor/bin/editor"`)
    await entry('Abc', 'token=abc')
    await run([`${base}/share/My Editor/main --socket=/run/x/y --token=abc`])
    expect(await list()).toEqual({ Editor: true, Abc: false })
  })
})

describe('an application does not run because of what it shares', () => {
  it('with a launcher that got an address, or other arguments', async () => {
    const { program, entry, run, list } = await machine()
    await program('bin/steam')
    await entry('Game', 'steam steam://rungameid/220')
    await entry('Steam', 'steam %U')
    await entry('Wine A', 'env WINEPREFIX="/home/u/.wine" wine a.exe')
    await entry('Wine B', 'wine b.exe')
    await run(['/home/u/.steam/steam', '-srt-logger-opened'])
    await run(['wine', 'b.exe'])
    expect(await list()).toEqual({ Game: false, Steam: true, 'Wine A': false, 'Wine B': true })
  })

  it('with a program that several applications start by its options', async () => {
    const { entry, run, list } = await machine()
    await entry('Calc', 'office --calc %U')
    await entry('Writer', 'office --writer %U')
    await entry('Alone', 'alone --fast')
    await run(['/usr/lib/office', '--writer', '/home/u/a.odt'])
    await run(['/usr/bin/alone'])
    expect(await list()).toEqual({ Calc: false, Writer: true, Alone: true })
  })

  it('with a browser that shows it in a window of its own', async () => {
    const { base, program, link, entry, run, list } = await machine()
    const browser = await program('opt/vendor/browser/browser')
    await link(browser, 'bin/browser-stable')
    await entry('Browser', 'browser-stable %U')
    await entry('Mail', `${browser} --profile-directory=Default --app-id=abc`)
    await entry('Other profile', `${browser} --profile-directory=Other`)
    await run(
      [`${base}/opt/vendor/browser/main`, '--profile-directory=Default'],
      `${base}/opt/vendor/browser/main`,
    )
    expect(await list()).toEqual({ Browser: true, Mail: false, 'Other profile': false })
  })

  it('with a system folder', async () => {
    const { base, program, entry, run, list } = await machine()
    await program('bin/one')
    await entry('One', 'one')
    await run([`${base}/bin/two`], `${base}/bin/two`)
    expect(await list()).toEqual({ One: false })
  })
})

it('ends when its signal aborts', async () => {
  const { list } = await machine()
  await expect(list(AbortSignal.abort(new Error('stopped')))).rejects.toThrow('stopped')
})
