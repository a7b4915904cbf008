import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join, parse, resolve } from 'node:path'
import type { Cli } from '../cli.ts'
import { readPairedSettings } from '../../settings/device-settings.ts'
import { CliError } from '../cli-error.ts'
import { exitCodes } from '../exit-codes.ts'
import { openOutput } from '../output.ts'
import { checkRoots } from './check-roots.ts'
import type { DeviceOptions } from './device-options.ts'
import { readPairing } from './pairing-file.ts'
import { findProgram } from './service/find-program.ts'
import { runSteps, stageSteps } from './service/run-steps.ts'
import { findService, type Service } from './service/service.ts'
import { toServiceEnvironment } from './service/service-environment.ts'
import { showSteps } from './service/show-steps.ts'
import { findStateFolder, serviceStateFolder, type StateFolder } from './state-folder.ts'

/** Options of `homeward device install`, and of `uninstall` without the roots. */
export interface InstallOptions extends DeviceOptions {
  readonly root?: readonly string[]
  readonly dryRun?: boolean
  readonly rootDir?: string
  readonly service?: string
  readonly user?: string
}

const attempt = 'Installing the service'

/** Has the system start the agent with the machine. Only the roots that are named are opened. */
export async function installDevice(options: InstallOptions, cli: Cli): Promise<void> {
  const roots = checkRoots(attempt, options.root)
  const output = openOutput(cli, options)
  const service = findService(options.service, cli.environment)
  const state = findServiceState(service, options, cli.environment)
  readPairedSettings(cli.environment) // what is wrong is said now, not by the service
  const steps = service.planInstall({
    roots,
    environment: toServiceEnvironment(cli.environment),
    stateFolder: state.folder,
    isStateNamed: state.isNamed,
    user: options.user,
    program: findProgram(),
  })
  if (options.dryRun) return showSteps(steps, output)
  if (options.rootDir !== undefined) {
    await stageSteps(resolve(options.rootDir), steps)
    const staged = resolve(options.rootDir)
    return output.result({ staged, service: service.kind, roots }, () =>
      [
        `Staged in ${staged}. Nothing was run. On the machine itself, pair it, then run:`,
        ...steps.flatMap((step) =>
          step.do === 'run' && !step.mayFail ? [`  ${step.command.join(' ')}`] : [],
        ),
      ].join('\n'),
    )
  }
  assertRights(service)
  await assertPaired(state.folder)
  await runSteps(attempt, steps, output.progress)
  const result = { service: service.kind, roots, state: state.folder }
  output.result(result, () => `The service runs, and starts with the machine. It opens ${roots.join(', ')}.`)
}

/** The service of Linux runs as another user, who cannot get at a home folder: it has a state folder of its own. */
function findServiceState(
  service: Service,
  options: InstallOptions,
  environment: NodeJS.ProcessEnv,
): StateFolder {
  const found = findStateFolder(options.state, environment)
  if (found.isNamed) return checkState(found)
  return service.kind === 'systemd' ? { folder: serviceStateFolder, isNamed: false } : found
}

/** The folder gets another owner: one that holds something else must not. */
function checkState(state: StateFolder): StateFolder {
  const { folder } = state
  const isWhole = [parse(folder).root, homedir(), dirname(homedir())].includes(folder)
  if (!isWhole) return state
  throw new CliError(
    `${attempt} failed: the state folder ${folder} contains other files. Pass a separate folder with --state.`,
    exitCodes.usage,
  )
}

function assertRights({ kind }: Service): void {
  if (kind !== 'systemd') return
  if (!existsSync('/run/systemd/system')) {
    throw new CliError(
      `${attempt} failed: systemd does not run on this machine. Start the agent with "homeward device run".`,
    )
  }
  if (process.getuid?.() !== 0) {
    throw new CliError(`${attempt} failed: the command needs root rights. Run it with sudo.`)
  }
}

async function assertPaired(folder: string): Promise<void> {
  const pairing = await readPairing(folder)
  const hasKey = existsSync(join(folder, 'device-key'))
  if (pairing?.deviceId !== undefined && hasKey) {
    await assertOwnFolder(folder)
    return
  }
  throw new CliError(
    `${attempt} failed: ${folder} contains no pairing. ` +
      'Run "homeward device pair --cloud <address>" as the same user first, with sudo if you install with sudo.',
  )
}

const ownNames =
  /^(?:device-key|pairing\.json|contact\.json|outbox|consent|index\.db.*|audit.*|agent\.log|.*\.lock.*)$/

async function assertOwnFolder(folder: string): Promise<void> {
  const stranger = (await readdir(folder)).find((name) => !ownNames.test(name))
  if (stranger === undefined) return
  throw new CliError(
    `${attempt} failed: the state folder ${folder} also contains "${stranger}". Pass a separate folder with --state.`,
  )
}
