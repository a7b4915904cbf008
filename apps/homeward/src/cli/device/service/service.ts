import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { homedir, userInfo } from 'node:os'
import { promisify } from 'node:util'
import { CliError } from '../../cli-error.ts'
import { exitCodes } from '../../exit-codes.ts'
import { launchdService, planLaunchdInstall, planLaunchdRemoval } from './plan-launchd.ts'
import { planSystemdInstall, planSystemdRemoval } from './plan-systemd.ts'
import { planWindowsInstall, planWindowsRemoval, windowsService } from './plan-windows.ts'
import type { ServiceKind, ServiceOptions, ServiceStep } from './service-step.ts'
import { serviceName, serviceUnitPath } from './systemd-files.ts'

const execute = promisify(execFile)

/** What starts the agent of a device with the machine. */
export interface Service {
  readonly kind: ServiceKind
  /** File that is there while the service is installed. */
  readonly path: string
  planInstall(options: ServiceOptions): readonly ServiceStep[]
  planRemoval(keepsState: boolean): readonly ServiceStep[]
  /** Programs and arguments of which one exits with 0 while the service runs. */
  readonly queries: readonly (readonly [string, ...string[]])[]
}

/** How the service is doing. */
export interface ServiceState {
  readonly kind: ServiceKind
  readonly installed: boolean
  /** Undefined if nothing tells, such as in a container. */
  readonly active: boolean | undefined
}

const kinds: Readonly<Record<string, ServiceKind>> = { linux: 'systemd', darwin: 'launchd', win32: 'windows' }

/** The service of this system, or of the one that is named. @throws {CliError} for a system without one. */
export function findService(given: string | undefined, environment: NodeJS.ProcessEnv): Service {
  const kind = given ?? kinds[process.platform]
  if (kind === 'systemd') {
    return {
      kind,
      path: serviceUnitPath,
      planInstall: planSystemdInstall,
      planRemoval: planSystemdRemoval,
      queries: [['systemctl', 'is-active', '--quiet', serviceName]],
    }
  }
  if (kind === 'launchd') return launchd()
  if (kind === 'windows') return windows(environment)
  const rule = '"--service" must be systemd, launchd or windows'
  throw new CliError(`Finding the service failed: ${rule}.`, exitCodes.usage)
}

function launchd(): Service {
  const user = { uid: process.getuid?.() ?? 501, home: homedir() }
  return {
    kind: 'launchd',
    ...launchdService(user),
    planInstall(options) {
      if (user.uid === 0 && process.platform === 'darwin') {
        throw new CliError(
          'Installing the service failed: on macOS it belongs to a user, not to root. Run the command without sudo.',
        )
      }
      return planLaunchdInstall(options, user)
    },
    planRemoval: () => planLaunchdRemoval(user),
  }
}

function windows({ USERDOMAIN, ProgramData = 'C:\\ProgramData' }: NodeJS.ProcessEnv): Service {
  const { username } = userInfo()
  const name = USERDOMAIN === undefined ? username : `${USERDOMAIN}\\${username}`
  const user = { name, programData: ProgramData }
  return {
    kind: 'windows',
    ...windowsService(user),
    planInstall: (options) => planWindowsInstall(options, user),
    planRemoval: () => planWindowsRemoval(user),
  }
}

/** Looks whether the service is installed, and runs. */
export async function inspectService({ kind, path, queries }: Service): Promise<ServiceState> {
  if (!existsSync(path)) return { kind, installed: false, active: false }
  const answers = await Promise.all(queries.map(isActive))
  return {
    kind,
    installed: true,
    active: answers.includes(true) || (answers.includes(false) ? false : undefined),
  }
}

async function isActive([program, ...rest]: readonly [string, ...string[]]): Promise<boolean | undefined> {
  try {
    await execute(program, rest, { timeout: 10_000, windowsHide: true })
    return true
  } catch (error) {
    // A number is the exit code of the program; anything else means that it did not run.
    return typeof (error as { readonly code?: unknown }).code === 'number' ? false : undefined
  }
}
