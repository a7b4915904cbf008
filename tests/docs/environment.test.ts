import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readSettings } from '../../examples/server/settings.ts'
import { workspaceFolder } from '../../scripts/workspace-packages.ts'

const read = (path: string) => readFileSync(join(workspaceFolder, path), 'utf8')

/** Second column by first, of every table row whose first cell is a variable: `| \`HOST\` | \`127.0.0.1\` | …`. */
function defaultsOf(document: string): [name: string, fallback: string][] {
  const rows = read(document).matchAll(/^\| `([A-Z_]+)` +\| `?([^|`]*?)`? +\|/gm)
  return [...rows].map(([, name = '', fallback = '']) => [name, fallback])
}

describe('the environment of the examples', () => {
  const { host, port, cloudPort, home, trialDevice, intervalMs, ...rest } = readSettings({})
  const server = {
    HOST: host,
    PORT: String(port),
    CLOUD_PORT: String(cloudPort),
    ALLOWED_HOSTS: rest.allowedHosts.join() || 'none',
    HOMEWARD_HOME: home.replace(homedir(), '~'),
    DATABASE_URL: rest.databaseUrl ?? 'none',
    HOMEWARD_DEVICE: trialDevice ? 'on' : 'off',
    DEVICE_INTERVAL_MS: String(intervalMs),
    API_TOKEN: 'none', // a setting of the runtime
    DEMO_MODEL: rest.demoModel ?? 'none',
  }
  const agent = {
    CLOUD_URL: 'needed',
    DEVICE_API_KEY: 'needed',
    DEVICE_ROOTS: 'needed',
    DEVICE_STATE: '~/.homeward/device',
    DEVICE_INTERVAL_MS: '30000',
  }
  const known: Readonly<Record<string, string>> = { ...server, ...agent }

  it('is documented with its defaults, all of it', () => {
    const documented = Object.fromEntries(defaultsOf('docs/getting-started/host-author.md'))
    expect(documented).toEqual(known)
  })

  it('has the same defaults in the README', () => {
    const documented = defaultsOf('README.md')
    expect(documented.length).toBeGreaterThan(0)
    expect(documented.filter(([name, fallback]) => known[name] !== fallback)).toEqual([])
  })

  it('takes empty variables for absent ones', () => {
    const empty = Object.fromEntries(Object.keys(server).map((name) => [name, ' ']))
    expect(readSettings(empty)).toEqual(readSettings({}))
  })

  it('names every variable that cannot be used', () => {
    const wrong = {
      PORT: '70000',
      CLOUD_PORT: 'x',
      HOST: 'a b',
      DEMO_MODEL: 'gpt',
      ALLOWED_HOSTS: 'a,b/c',
      DATABASE_URL: 'mysql://x',
    }
    for (const name of Object.keys(wrong)) expect(() => readSettings(wrong)).toThrow(`\n  ${name}: `)
  })

  it('is read nowhere else', () => {
    const source = ['examples/server/settings.ts', 'examples/device-agent/main.ts'].map(read).join('\n')
    const inCapitals = [...source.matchAll(/\b[A-Z][A-Z]*_[A-Z_]*[A-Z]\b|\bHOST\b/g)].map(([name]) => name)
    expect([...new Set(inCapitals)].filter((name) => !(name in known))).toEqual([])
    expect(source).toContain("DEVICE_STATE || join(homedir(), '.homeward', 'device')")
    expect(source).toContain('DEVICE_INTERVAL_MS || 30_000')
  })
})
