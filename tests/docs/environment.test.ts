import { globSync, readFileSync } from 'node:fs'
import { homedir, hostname } from 'node:os'
import { delimiter, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readSettings as readAgentSettings } from '../../apps/homeward/src/settings/device-settings.ts'
import { readSettings, type Settings } from '../../apps/homeward/src/settings/settings.ts'
import { workspaceFolder } from '../../scripts/workspace-packages.ts'

const read = (path: string) => readFileSync(join(workspaceFolder, path), 'utf8')

/** Second column by first, of every table row whose first cell is a variable: `| \`HOST\` | \`127.0.0.1\` | …`. */
function defaultsOf(document: string): [name: string, fallback: string][] {
  const rows = read(document).matchAll(/^\| `([A-Z0-9_]+)` +\| `?([^|`]*?)`? +\|/gm)
  return [...rows].map(([, name = '', fallback = '']) => [name, fallback])
}

/** Nothing is set, so all of it is off; what has a default of its own shows it once the rest is there. */
function cloudDefaults(cloud: Settings['cloud']) {
  expect(cloud).toEqual({
    publicUrl: undefined,
    trustedProxies: [],
    offlineShare: undefined,
    s3: undefined,
    drive: undefined,
    oidc: undefined,
    retention: { resultsDays: 90, searchesDays: 365, filesDays: 90 },
    quotas: { pendingPerDevice: 1000 },
  })
  const bucket = { S3_ENDPOINT: 'https://s3.example/b', S3_ACCESS_KEY_ID: 'id', S3_SECRET_ACCESS_KEY: 'x' }
  const { s3 } = readSettings(bucket).cloud
  return {
    CLOUD_PUBLIC_URL: 'none',
    TRUSTED_PROXIES: cloud.trustedProxies.join() || 'none',
    OFFLINE_SHARE: '0.2',
    S3_ENDPOINT: 'none',
    S3_REGION: s3!.region,
    S3_ACCESS_KEY_ID: 'none',
    S3_SECRET_ACCESS_KEY: 'none',
    S3_PUBLIC_URL: s3!.publicUrl ?? 'none',
    S3_LINK_SECONDS: String(s3!.linkSeconds),
    DRIVE_KEY_FILE: 'none',
    DRIVE_FOLDER_ID: 'none',
    RETENTION_RESULTS_DAYS: String(cloud.retention.resultsDays),
    RETENTION_SEARCHES_DAYS: String(cloud.retention.searchesDays),
    RETENTION_FILES_DAYS: String(cloud.retention.filesDays),
    QUOTA_DEVICES: 'none',
    QUOTA_PENDING_PER_DEVICE: String(cloud.quotas.pendingPerDevice),
    QUOTA_SEARCHES_PER_DAY: 'none',
    QUOTA_STORED_BYTES: 'none',
    OIDC_ISSUER: 'none',
    OIDC_AUDIENCE: 'none',
    OIDC_CLIENTS: 'none',
    OIDC_CLIENT_ID: 'none',
    OIDC_CLIENT_SECRET: 'none',
    OIDC_NAME: 'host name',
    OIDC_ADMINS: 'none',
    SESSION_SECRET: 'random',
  }
}

describe('the environment of the examples', () => {
  const { host, port, cloudPort, home, trialDevice, intervalMs, ...rest } = readSettings({})
  const server = {
    HOST: host,
    PORT: String(port),
    CLOUD_HOST: rest.cloudHost,
    CLOUD_PORT: String(cloudPort),
    ALLOWED_HOSTS: rest.allowedHosts.join() || 'none',
    HOMEWARD_HOME: home.replace(homedir(), '~'),
    ...cloudDefaults(rest.cloud),
    DATABASE_URL: rest.databaseUrl ?? 'none',
    DATABASE_DIRECT_URL: rest.databaseDirectUrl ?? 'none',
    PRESENCE_DATABASE_URL: rest.presenceDatabaseUrl ?? 'none',
    HOMEWARD_DEVICE: trialDevice ? 'on' : 'off',
    DASHBOARD: rest.dashboard ? 'on' : 'off',
    DEVICE_ANNOUNCE_FOLDERS: rest.announceFolders ? 'on' : 'off',
    DEVICE_CONTENT_SEARCH: rest.contentSearch ? 'on' : 'off',
    DEVICE_INTERVAL_MS: String(intervalMs),
    API_TOKEN: 'none', // a setting of the runtime, as the next one
    WEBHOOK_HOSTS: 'none',
    DEMO_MODEL: rest.demoModel ?? 'none',
  }
  const needed = { CLOUD_URL: 'http://127.0.0.1:3000', DEVICE_ROOTS: '/srv' }
  const agentSettings = readAgentSettings(needed)
  const asking = readAgentSettings({ ...needed, DEVICE_CONSENT: 'ask' })
  const agent = {
    ...Object.fromEntries(Object.keys(needed).map((name) => [name, 'needed'])),
    DEVICE_API_KEY: agentSettings.apiKey?.reveal() ?? 'none',
    ENROLLMENT_TOKEN: agentSettings.enrollmentToken?.reveal() ?? 'none',
    DEVICE_NAME: agentSettings.name === hostname() ? 'host name' : agentSettings.name,
    DEVICE_STATE: agentSettings.stateFolder.replace(homedir(), '~'),
    DEVICE_ANNOUNCE_FOLDERS: agentSettings.announceFolders ? 'on' : 'off',
    DEVICE_CONTENT_SEARCH: agentSettings.contentSearch ? 'on' : 'off',
    DEVICE_CONTENT_INDEX: agentSettings.contentIndex ? 'on' : 'off',
    DEVICE_CATALOG: agentSettings.catalog ? 'on' : 'off',
    DEVICE_INTERVAL_MS: String(agentSettings.intervalMs),
    DEVICE_INDEX: agentSettings.indexIntervalMs === undefined ? 'off' : 'on',
    DEVICE_INDEX_INTERVAL_MS: String(agentSettings.indexIntervalMs),
    DEVICE_MAX_UPLOAD_BYTES_PER_SECOND: String(agentSettings.maxUploadBytesPerSecond ?? 'none'),
    DEVICE_MAX_CPU_PERCENT: String(agentSettings.maxCpuPercent ?? 'none'),
    DEVICE_CONSENT: agentSettings.consent === undefined ? 'off' : 'ask',
    DEVICE_CONSENT_COMMAND: asking.consent?.program ?? 'none',
    DEVICE_CONSENT_TIMEOUT_MS: String(asking.consent?.timeoutMs),
    DEVICE_WORK: agentSettings.work,
    DEVICE_ACTIVITY: agentSettings.activity,
  }
  const known: Readonly<Record<string, string>> = { ...server, ...agent }

  it('is documented with its defaults, all of it', () => {
    expect(Object.fromEntries(defaultsOf('docs/guides/configuration.md'))).toEqual(known)
  })

  it('is documented on one page only', () => {
    const pages = globSync(['*.md', 'docs/**/*.md', '{packages,apps}/*/README.md'], { cwd: workspaceFolder })
    const others = pages.filter((page) => page !== 'docs/guides/configuration.md')
    expect(others.filter((page) => defaultsOf(page).some(([name]) => name in known))).toEqual([])
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
      DATABASE_URL: 'postgres://ann:p#ss@[::',
      DATABASE_DIRECT_URL: 'mysql://x',
      PRESENCE_DATABASE_URL: 'mysql://x',
      CLOUD_PUBLIC_URL: 'ftp://x',
      TRUSTED_PROXIES: 'proxy',
      OFFLINE_SHARE: '2',
      QUOTA_DEVICES: '-1',
      S3_ENDPOINT: 'bucket',
      S3_REGION: 'a b',
      S3_LINK_SECONDS: '604801',
      DRIVE_FOLDER_ID: 'https://drive',
      OIDC_ISSUER: 'login',
      OIDC_AUDIENCE: ' , ',
      OIDC_NAME: 'x'.repeat(61),
      OIDC_ADMINS: ' , ',
      SESSION_SECRET: 'short',
    }
    for (const name of Object.keys(wrong)) expect(() => readSettings(wrong)).toThrow(`\n  ${name}: `)
  })

  it('names every variable that an agent cannot use, and quotes no key', () => {
    expect(() => readAgentSettings({})).toThrow(/CLOUD_URL: .*DEVICE_ROOTS: /s)
    const wrong = {
      CLOUD_URL: 'http://ann:secret-1@cloud.example',
      DEVICE_API_KEY: 'secret-2 with blanks',
      ENROLLMENT_TOKEN: 'secret-3',
      DEVICE_NAME: 'x'.repeat(201),
      DEVICE_ROOTS: delimiter,
      DEVICE_ANNOUNCE_FOLDERS: 'no',
      DEVICE_CONTENT_SEARCH: 'yes',
      DEVICE_INTERVAL_MS: '1e9',
    }
    for (const name of Object.keys(wrong))
      expect(() => readAgentSettings({ ...needed, ...wrong })).toThrow(`\n  ${name}: `)
    expect(() => readAgentSettings({ ...needed, ...wrong })).not.toThrow('secret-')
    expect(readAgentSettings({ ...needed, CLOUD_URL: ' http://127.0.0.1:3000\n' }).cloudUrl).toBe(
      needed.CLOUD_URL,
    )
  })

  it('names what is missing of variables that belong together, and quotes no secret', () => {
    const cases: [Record<string, string>, string][] = [
      [{ S3_ENDPOINT: 'https://s3.example/b', S3_ACCESS_KEY_ID: 'secret-id' }, 'S3_SECRET_ACCESS_KEY'],
      [{ S3_SECRET_ACCESS_KEY: 'secret-key' }, 'S3_ENDPOINT'],
      [{ S3_PUBLIC_URL: 'https://cdn.example' }, 'S3_ENDPOINT'],
      [{ DRIVE_KEY_FILE: '/etc/key.json' }, 'DRIVE_FOLDER_ID'],
      [{ OIDC_ISSUER: 'https://login.example' }, 'OIDC_AUDIENCE'],
      [{ OIDC_CLIENTS: 'a' }, 'OIDC_ISSUER'],
      [{ OIDC_CLIENT_ID: 'a' }, 'OIDC_ISSUER'],
      [{ OIDC_CLIENT_SECRET: 'secret-client' }, 'OIDC_CLIENT_ID'],
      [{ OIDC_ADMINS: 'a' }, 'OIDC_CLIENT_ID'],
      [{ SESSION_SECRET: 'secret-of-sessions-0123456789-0123' }, 'OIDC_CLIENT_ID'],
    ]
    for (const [given, missing] of cases) {
      const read = () => readSettings(given)
      expect(read).toThrow(`\n  ${missing}: is required if `)
      expect(read).not.toThrow('secret-')
    }
  })

  it('keeps the device cloud on loopback unless an identity provider says who its users are', () => {
    const oidc = { OIDC_ISSUER: 'https://login.example', OIDC_AUDIENCE: 'homeward' }
    expect(readSettings({ HOST: '0.0.0.0' }).cloudHost).toBe('127.0.0.1')
    expect(readSettings({ HOST: '0.0.0.0', ...oidc }).cloudHost).toBe('0.0.0.0')
  })

  it('is read nowhere else', () => {
    const files = ['settings.ts', 'cloud-settings.ts'].map((name) => `apps/homeward/src/settings/${name}`)
    const source = [...files, 'apps/homeward/src/settings/device-settings.ts'].map(read).join('\n')
    const inCapitals = [...source.matchAll(/\b[A-Z][A-Z0-9]*_[A-Z_]*[A-Z]\b|\bHOST\b/g)].map(([name]) => name)
    expect([...new Set(inCapitals)].filter((name) => !(name in known))).toEqual([])
  })
})
