import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { homewardVersion } from '../version.ts'
import { localUrls } from '../settings/local-urls.ts'
import { readSettings, type Settings } from '../settings/settings.ts'
import { checkDatabases } from './check-databases.ts'
import { checkHome } from './check-home.ts'
import { checkClock, checkDisk, checkNode, checkSandbox } from './check-machine.ts'
import { checkPorts } from './check-ports.ts'
import { error, type Checked } from './finding.ts'

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
