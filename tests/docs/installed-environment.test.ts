import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { planLaunchdInstall } from '../../apps/homeward/src/cli/device/service/plan-launchd.ts'
import { planSystemdInstall } from '../../apps/homeward/src/cli/device/service/plan-systemd.ts'
import { planWindowsInstall } from '../../apps/homeward/src/cli/device/service/plan-windows.ts'
import {
  fromSetArguments,
  toServiceEnvironment,
} from '../../apps/homeward/src/cli/device/service/service-environment.ts'
import type { ServiceStep } from '../../apps/homeward/src/cli/device/service/service-step.ts'
import { workspaceFolder } from '../../scripts/workspace-packages.ts'

const page = readFileSync(join(workspaceFolder, 'docs/guides/configuration.md'), 'utf8')
const [, section = ''] = page.split('\n## The device agent\n')
const documented = [...section.matchAll(/^\| `([A-Z0-9_]+)` +\|/gm)].map(([, name = '']) => name)

/** The pairing has the first; the others are arguments. */
const otherwise = ['CLOUD_URL', 'DEVICE_ROOTS', 'DEVICE_STATE']
const secret = ['DEVICE_API_KEY', 'ENROLLMENT_TOKEN']

const written = (steps: readonly ServiceStep[]) =>
  steps.flatMap((step) => (step.do === 'write' ? [step.content] : [])).join('\n')

function filesOf(environment: NodeJS.ProcessEnv) {
  const options = {
    roots: ['/srv/a'],
    stateFolder: '/var/lib/homeward-device',
    isStateNamed: false,
    user: undefined,
    program: { copy: undefined, runner: ['node'], path: '/opt/agent' },
    environment: toServiceEnvironment(environment),
  }
  return {
    systemd: written(planSystemdInstall(options)),
    launchd: written(planLaunchdInstall(options, { uid: 501, home: '/Users/ann' })),
    windows: written(planWindowsInstall(options, { name: 'ann', programData: String.raw`C:\ProgramData` })),
  }
}

it('D41: passes every documented variable of the agent on to the service of each system', () => {
  expect(documented.length).toBeGreaterThan(14)
  const passed = documented.filter((name) => ![...otherwise, ...secret].includes(name))
  const files = filesOf(Object.fromEntries(documented.map((name) => [name, `of-${name}`])))
  const lineOf = {
    systemd: (name: string) => `Environment="${name}=of-${name}"`,
    launchd: (name: string) => `<key>${name}</key><string>of-${name}</string>`,
    windows: (name: string) => `--set ${name}=of-${name}`,
  }
  for (const system of ['systemd', 'launchd', 'windows'] as const) {
    const missing = passed.filter((name) => !files[system].includes(lineOf[system](name)))
    expect(missing, system).toEqual([])
    expect([...secret, ...otherwise].filter((name) => files[system].includes(name))).toEqual([])
  }
})

it('passes on what leads to the cloud, but no password', () => {
  const proxies = { HTTPS_PROXY: 'http://proxy:3128', HTTP_PROXY: 'http://ann:secret-1@proxy:3128' }
  const { systemd, launchd } = filesOf({ ...proxies, NODE_USE_ENV_PROXY: '1', PATH: '/bin' })
  expect(systemd.match(/^Environment=.*$/gm)).toEqual([
    'Environment="NODE_USE_ENV_PROXY=1"',
    'Environment="HTTPS_PROXY=http://proxy:3128"',
  ])
  expect(launchd).not.toContain('secret-1')
})

it('reads variables from arguments, with all signs that a value may have', () => {
  expect(fromSetArguments(['A=b=c', 'D='])).toEqual({ A: 'b=c', D: '' })
  expect(() => fromSetArguments(['A'])).toThrow('"--set" must be NAME=value')
})
