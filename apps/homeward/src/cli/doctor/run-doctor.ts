import { readFile, readdir, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { homewardVersion } from '../../program/version.ts'
import { localUrls } from '../../settings/local-urls.ts'
import { readSettings, type Settings } from '../../settings/settings.ts'
import { checkDatabases } from './check-databases.ts'
import { checkHome } from './check-home.ts'
import { checkPorts } from './check-ports.ts'
import { error, type Checked, warning, type Finding } from './finding.ts'
import { describeSandbox } from '@homeward/agent-runtime'

/** What a look at an installation needs. */
export interface DoctorOptions {
  readonly environment: NodeJS.ProcessEnv
  /** Access token of the running server. @default that of the settings */
  readonly token?: string | undefined
  /** @default that of this process */
  readonly nodeVersion?: string
  /** Milliseconds since 1970. @default Date.now() */
  readonly now?: number
  /** Free bytes on the disk of a folder. @default asks the file system */
  readonly readFreeBytes?: (folder: string) => Promise<number>
  /** Told of each check as soon as it is done. @default nobody */
  readonly onChecked?: (checked: Checked) => void
}

/** Looks at an installation, without changing it; the server may run or not. */
export async function runDoctor(options: DoctorOptions): Promise<Checked[]> {
  const { environment, now = Date.now(), nodeVersion = process.versions.node, onChecked = () => {} } = options
  const done: Checked[] = []
  const add = (...checked: readonly Checked[]) => {
    for (const one of checked) {
      done.push(one)
      onChecked(one)
    }
  }
  add(checkNode(nodeVersion, homewardVersion))
  const settings = trySettings(environment)
  if (Array.isArray(settings)) {
    add({ name: 'Environment', about: '', findings: settings.map(toEnvironmentFinding) })
    return done
  }
  const { home, databaseUrl } = settings
  const ports = await checkPorts(settings, localUrls(environment))
  add(ports)
  const ofHome = await checkHome(home)
  add(ofHome)
  add(await checkDatabases(home, databaseUrl, now))
  add(await checkClock(home, now), await checkDisk(home, options.readFreeBytes))
  add(await checkSandbox(environment['PATH'] ?? ''))
  const { checkSignIn } = await import('./check-sign-in.ts')
  add(...(await checkSignIn(settings)))
  const { checkAgents } = await import('./check-agents.ts')
  add(...(await checkAgents(settings, environment)))
  if (ports.isRunning) add(...(await checkServer(environment, options.token ?? (await savedToken(home)))))
  return done
}

async function checkServer(environment: NodeJS.ProcessEnv, token: string | undefined): Promise<Checked[]> {
  const { checkRunning } = await import('./check-running.ts')
  const urls = localUrls(environment)
  return checkRunning(
    { url: urls.agents, token },
    { url: urls.devices, token: environment['HOMEWARD_TOKEN'] },
  )
}

/** The access token of `config.json`: whoever may read it may use it. */
async function savedToken(home: string): Promise<string | undefined> {
  try {
    const { api_token: token } = JSON.parse(await readFile(join(home, 'config.json'), 'utf8')) as {
      api_token?: unknown
    }
    return typeof token === 'string' ? token : undefined
  } catch {
    return undefined // another check tells of the file
  }
}

/** The settings, or what is wrong with the environment: a line for each variable. */
function trySettings(environment: NodeJS.ProcessEnv): Settings | string[] {
  try {
    return readSettings(environment)
  } catch (cause) {
    const [first = '', ...lines] = (cause as Error).message.split('\n').map((line) => line.trim())
    return lines.length > 0 ? lines : [first]
  }
}

const toEnvironmentFinding = (line: string) =>
  error(`The environment variable ${line}.`, 'Correct it, or unset it: see the guide "Configuration".')

const megabyte = 1024 * 1024
/** Below it nothing can be relied on. */
const fullBytes = 100 * megabyte
/** Below it somebody should make room. */
const lowBytes = 1024 * megabyte
/** Clocks of file systems and of people's machines differ by some minutes. */
const clockToleranceMs = 5 * 60_000

/** The Node that runs this. @param node such as `24.1.0` */
function checkNode(node: string, version: string): Checked {
  const [major = 0, minor = 0] = node.split('.').map(Number)
  const isOld = major < 22 || (major === 22 && minor < 18)
  const findings = isOld ? [error(`Node ${node} is too old.`, 'Install Node 22.18 or newer.')] : []
  return { name: 'Version', about: `homeward ${version} on Node ${node}`, findings }
}

/** Room for the data home, which may not exist yet. */
async function checkDisk(home: string, readFreeBytes: typeof freeBytes = freeBytes): Promise<Checked> {
  const free = await readFreeBytes(home)
  const left = `${Math.round(free / megabyte)} MB are free on the disk of ${home}.`
  const fix = 'Delete what is not needed, or move the data home with HOMEWARD_HOME.'
  const findings: Finding[] =
    free < fullBytes ? [error(`Only ${left}`, fix)] : free < lowBytes ? [warning(`Only ${left}`, fix)] : []
  return { name: 'Disk', about: left, findings }
}

async function freeBytes(home: string): Promise<number> {
  const found = await statfs(home).catch(() => statfs('/'))
  return found.bavail * found.bsize
}

/** Whether the clock stands before what was written already: sessions and schedules would wait until it is right. */
async function checkClock(home: string, now: number): Promise<Checked> {
  const names = (await readdir(home).catch(() => [])).filter((name) => /\.db(?:-wal)?$/.test(name))
  const times = await Promise.all(names.map(async (name) => (await stat(join(home, name))).mtimeMs))
  const newest = Math.max(0, ...times)
  const isBehind = newest - now > clockToleranceMs
  const problem = `The clock says ${new Date(now).toISOString()}, and the data was written later: ${new Date(newest).toISOString()}.`
  const fix = 'Set the clock, for example by NTP ("timedatectl set-ntp true").'
  return {
    name: 'Clock',
    about: new Date(now).toISOString(),
    findings: isBehind ? [error(problem, fix)] : [],
  }
}

/** What programs of skills run in. */
async function checkSandbox(path: string): Promise<Checked> {
  const { kind, reason } = await describeSandbox(path)
  const problem = `Programs of skills run without a sandbox: ${reason}.`
  const fix =
    'Install the package "bubblewrap" and allow user namespaces; in a container, see the guide "Deploy". Or install no skills that run programs.'
  return { name: 'Sandbox', about: kind, findings: kind === 'none' ? [warning(problem, fix)] : [] }
}
