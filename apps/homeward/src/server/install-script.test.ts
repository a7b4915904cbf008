import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { installPages } from './install-pages.ts'
import { installScript } from './install-script.ts'

const script = installScript({ cloudUrl: 'http://192.0.2.7:3000' })

async function tempFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'homeward-script-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

const program = '#!/bin/sh\nexit 0\n'
const sumOf = (text: string) => createHash('sha256').update(text).digest('hex')

/** A stand-in for curl that knows only the files whose address has one of the words, with a checksum. */
const curlThatHas = (words: string, sum = sumOf(program)) =>
  `#!/bin/sh\nwhile [ $# -gt 2 ]; do shift; done\ncase "$2" in *.sha256) printf '%s  x\\n' '${sum}' ;; *${words}*) printf '#!/bin/sh\\nexit 0\\n' ;; *) exit 22 ;; esac > "$1"\n`

/** Runs a script with stand-ins for curl and Node, which writes down how it was called. */
async function runScript(text: string, args: readonly string[], curl = curlThatHas('.cjs')) {
  const folder = await tempFolder()
  const calls = join(folder, 'calls')
  const stub = `{ printf '<%s>' "$@"; echo " token=\${ENROLLMENT_TOKEN:-} name=\${DEVICE_NAME:-}"; } >> '${calls}'\n`
  for (const [name, content] of [
    ['curl', curl],
    ['node', `#!/bin/sh\ncase "$1" in --version) echo v24.0.0; exit ;; -e) exit ;; esac\n${stub}`],
  ] as const) {
    await writeFile(join(folder, name), content)
    await chmod(join(folder, name), 0o755)
  }
  const { status, stderr } = spawnSync('sh', ['-s', '--', ...args], {
    input: text,
    encoding: 'utf8',
    env: { PATH: `${folder}:/usr/bin:/bin` },
  })
  const made = existsSync(calls) ? (await readFile(calls, 'utf8')).trim().split('\n') : []
  return { status, stderr, calls: made }
}

it('pairs, then opens the folders that were named, with nothing secret among the arguments', async () => {
  const args = [
    '--root',
    '/srv/two words',
    '--token',
    'hwe_x',
    '--name',
    "Ann's Pi",
    '--root',
    '/srv/$b',
    '--foreground',
  ]
  const { status, calls } = await runScript(script, args)
  expect(status).toBe(0)
  expect(calls).toEqual([
    expect.stringMatching(
      /^<\S+homeward-device\.cjs><device><pair><--cloud><http:\/\/192\.0\.2\.7:3000> token=hwe_x name=Ann's Pi$/,
    ),
    expect.stringContaining('<run><--root></srv/two words><--root></srv/$b>'),
  ])
})

it('opens no folder unless one is named, and rejects unknown options before anything runs', async () => {
  expect((await runScript(script, [])).calls).toHaveLength(1)
  for (const args of [['--rot', '/srv'], ['--root'], ['/srv']]) {
    const { status, calls } = await runScript(script, args)
    expect([status, calls]).toEqual([1, []])
  }
})

it.each(['homeward-device-', '.cjs'])('runs a download only if its checksum is right: %s', async (words) => {
  const right = await runScript(script, [], curlThatHas(words))
  expect([right.status, right.calls]).toEqual([0, words === '.cjs' ? [expect.anything()] : []])
  const wrong = await runScript(script, [], curlThatHas(words, '0'.repeat(64)))
  expect([wrong.status, wrong.calls]).toEqual([1, []])
  expect(wrong.stderr).toContain('is damaged')
})

it('runs nothing that the server does not have', async () => {
  const { status, stderr, calls } = await runScript(script, ['--root', '/srv'], curlThatHas('nothing'))
  expect([status, calls]).toEqual([1, []])
  expect(stderr).toContain('the device agent cannot be downloaded from http://192.0.2.7:3000')
})

it('does nothing when a part of it is missing', async () => {
  const ends = [0.2, 0.5, 0.9, 0.99].map((share) => Math.floor(script.length * share))
  for (const end of [...ends, ...[1, 2, 3, 4, 5, 8, 12].map((less) => script.trimEnd().length - less)]) {
    expect((await runScript(script.slice(0, end), ['--root', '/srv'])).calls).toEqual([])
  }
})

it('is a script that sh and shellcheck accept', async () => {
  const file = join(await tempFolder(), 'install.sh')
  await writeFile(file, script)
  execFileSync('sh', ['-n', file])
  const hasShellcheck = spawnSync('shellcheck', ['--version']).status === 0
  if (hasShellcheck) execFileSync('shellcheck', [file], { encoding: 'utf8' })
})

it('holds the public address, or the one that the caller used, and never one that a shell could read as a command', async () => {
  const url = 'http://127.0.0.1:3000'
  const downloads = await tempFolder()
  const show = async (from: string, publicUrl?: string) => {
    const response = await installPages({ publicUrl, url, downloads })['/install.sh']?.(new Request(from))
    return /^cloud='(.*)'$/m.exec((await response?.text()) ?? '')?.[1]
  }
  expect(await show('http://192.0.2.7:3000/install.sh')).toBe('http://192.0.2.7:3000')
  const proxied = new Request('http://cloud.example/install.sh', {
    headers: { 'x-forwarded-proto': 'https' },
  })
  const behindProxy = await installPages({ publicUrl: undefined, url, downloads })['/install.sh']?.(proxied)
  expect(await behindProxy?.text()).toContain("cloud='https://cloud.example'")
  expect(await show('http://192.0.2.7:3000/install.sh', 'https://cloud.example')).toBe(
    'https://cloud.example',
  )
  expect(await show('http://192.0.2.7:3000/install.sh', "https://a';id;'")).toBe(url)
  expect(() => installScript({ cloudUrl: "http://a';id;'" })).toThrow('the address is invalid')
})

it('offers executables that are in its folder, and no other file', async () => {
  const downloads = await tempFolder()
  await writeFile(join(downloads, 'homeward-device-linux-x64'), 'program')
  await writeFile(join(downloads, 'secret'), 'x')
  const pages = installPages({ publicUrl: undefined, url: 'http://127.0.0.1:3000', downloads })
  const request = new Request('http://127.0.0.1:3000/')
  const response = await pages['/downloads/homeward-device-linux-x64']?.(request)
  expect(await response?.text()).toBe('program')
  const sum = createHash('sha256').update('program').digest('hex')
  const checksum = await pages['/downloads/homeward-device-linux-x64.sha256']?.(request)
  expect(await checksum?.text()).toBe(`${sum}  homeward-device-linux-x64\n`)
  await expect(pages['/downloads/homeward-device-macos-x64.sha256']?.(request)).rejects.toMatchObject({
    status: 404,
  })
  await expect(pages['/downloads/homeward-device-macos-x64']?.(request)).rejects.toMatchObject({
    status: 404,
  })
  expect(Object.keys(pages)).not.toContain('/downloads/secret')
})
