import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { planLaunchdInstall, planLaunchdRemoval } from './plan-launchd.ts'
import { planSystemdInstall, planSystemdRemoval } from './plan-systemd.ts'
import { planWindowsInstall, planWindowsRemoval } from './plan-windows.ts'
import type { ServiceOptions, ServiceStep } from './service-step.ts'

const options: ServiceOptions = {
  roots: ['/srv/a'],
  stateFolder: '/var/lib/homeward-device',
  isStateNamed: false,
  user: undefined,
  environment: {},
  program: { copy: { from: '/opt/agent', name: 'homeward-device' }, runner: [], path: '/opt/agent' },
}
const mac = { uid: 501, home: '/Users/ann' }
const windows = { name: 'PC\\ann', programData: 'C:\\ProgramData' }
const unitOf = (more: Partial<ServiceOptions>) =>
  textOf(planSystemdInstall({ ...options, ...more }), '.service')

function textOf(steps: readonly ServiceStep[], ending: string): string {
  const step = steps.find((each) => each.do === 'write' && each.path.endsWith(ending))
  return step?.do === 'write' ? step.content : ''
}

const hostile = [
  '/srv/two words',
  '/srv/say "hi"',
  "/home/o'neil:x",
  '/home/100% $HOME ${HOME}',
  '/srv/back\\slash',
  '/srv/<tag> & more',
]

describe('systemd', () => {
  it('runs under its own user, reads the named folders only, and writes its state only', () => {
    const unit = unitOf({ roots: ['/srv/a', '/home/ann/Documents'] })
    expect(unit.split('\n')).toEqual(
      expect.arrayContaining([
        'User=homeward-device',
        'NoNewPrivileges=yes',
        'ProtectSystem=strict',
        'PrivateTmp=yes',
        'StateDirectory=homeward-device',
        'ReadOnlyPaths="-/srv/a" "-/home/ann/Documents"',
        'ProtectHome=tmpfs',
        'BindReadOnlyPaths="-/home/ann/Documents"',
      ]),
    )
    expect(unit).not.toContain('ReadWritePaths')
  })

  it('quotes the values of variables', () => {
    const environment = { DEVICE_NAME: String.raw`50% "of" $HOME\n` }
    const line = String.raw`Environment="DEVICE_NAME=50%% \"of\" $HOME\\n"`
    expect(unitOf({ environment }).split('\n')).toContain(line)
  })

  it('escapes what systemd would expand or split', () => {
    const unit = unitOf({ roots: hostile })
    expect(unit).toContain('"--root" "/srv/two words"')
    expect(unit).toContain(String.raw`"--root" "/srv/say \"hi\""`)
    expect(unit).toContain('"--root" "/home/100%% $$HOME $${HOME}"')
    expect(unit).toContain(String.raw`"--root" "/srv/back\\slash"`)
    expect(unit).toContain('"-/home/100%% $HOME ${HOME}"')
    expect(unit).toContain(String.raw`BindReadOnlyPaths="-/home/o\'neil\:x"`)
    expect(unit.match(/^ExecStart=/gm)).toHaveLength(1)
  })

  it.runIf(existsSync('/usr/bin/systemd-analyze'))('writes a unit that systemd accepts', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'homeward-unit-'))
    try {
      const file = join(folder, 'homeward-device.service')
      const program = { copy: undefined, runner: [process.execPath], path: '/bin/true' }
      await writeFile(file, unitOf({ roots: hostile, program, isStateNamed: true, stateFolder: '/home/a b' }))
      const output = execFileSync('systemd-analyze', ['verify', file], { encoding: 'utf8', stdio: 'pipe' })
      expect(output).toBe('')
    } finally {
      await rm(folder, { recursive: true })
    }
  })

  it('rejects line breaks, and a dollar sign in the path of the program', () => {
    expect(() => unitOf({ roots: ['/srv/a\nExecStartPre=/bin/sh'] })).toThrow('control character')
    const program = { copy: undefined, runner: [], path: '/opt/$x' }
    expect(() => unitOf({ program })).toThrow('cannot name a path with $')
    expect(() => unitOf({ user: 'root\nUser=x' })).toThrow('the user')
  })
})

it('removes everything that it installs, on each system', () => {
  const pairs = [
    [planSystemdInstall(options), planSystemdRemoval(false)],
    [planLaunchdInstall(options, mac), planLaunchdRemoval(mac)],
    [planWindowsInstall(options, windows), planWindowsRemoval(windows)],
  ] as const
  for (const [install, removal] of pairs) {
    const removed = removal.flatMap((step) => (step.do === 'remove' ? [step.path] : []))
    for (const step of install) {
      if (step.do !== 'write' && step.do !== 'copy') continue
      expect(removed.some((path) => step.path.startsWith(path))).toBe(true)
    }
  }
})

it('escapes arguments of a launch agent as XML, and rejects line breaks', () => {
  const plist = textOf(planLaunchdInstall({ ...options, roots: hostile }, mac), '.plist')
  expect(plist).toContain('<string>/srv/&lt;tag&gt; &amp; more</string>')
  expect(plist).toContain('<string>/home/100% $HOME ${HOME}</string>')
  expect(() => planLaunchdInstall({ ...options, roots: ['/a\n'] }, mac)).toThrow('control character')
})

it('quotes arguments of a Windows task, and rejects what its scheduler replaces', () => {
  const plan = (root: string) => planWindowsInstall({ ...options, roots: [root] }, windows)
  const task = textOf(plan('C:\\My Files\\'), 'task.xml')
  expect(task).toContain('--root &quot;C:\\My Files\\\\&quot;</Arguments>')
  expect(task).toContain('<UserId>PC\\ann</UserId>')
  for (const root of ['C:\\%USERNAME%', 'C:\\$(Arg0)', 'C:\\a"b', 'C:\\a\nb']) {
    expect(() => plan(root)).toThrow('Installing the service failed')
  }
})
