import { setTimeout as sleep } from 'node:timers/promises'
import type { Cli } from '../../cli.ts'
import { CliError } from '../../cli-error.ts'
import { openOutput, type Output } from '../../output.ts'
import type { DeviceOptions } from '../device-options.ts'
import { readStatus, type DeviceStatus } from '../status.ts'
import { findStateFolder } from '../state-folder.ts'
import { checkCloud } from './check-cloud.ts'
import { checkState } from './check-state.ts'
import { failure, type Finding, ok, warning } from './finding.ts'
import { constants } from 'node:fs'
import { access, stat } from 'node:fs/promises'

/** Looks for what keeps this device from working, and says what to do about each thing. */
export async function findProblems(options: DeviceOptions, cli: Cli): Promise<readonly Finding[]> {
  const { folder } = findStateFolder(options.state, cli.environment, true)
  let status: DeviceStatus
  try {
    status = await readStatus(options, cli)
  } catch (error) {
    if (!(error instanceof CliError)) throw error
    return [failure(error.message, `Check the files in ${folder}.`)]
  }
  const state = await checkState(folder, status.running)
  const cloudUrl = status.cloud ?? cli.environment['CLOUD_URL']
  const cloud =
    cloudUrl === undefined ? [] : await checkCloud({ cloudUrl, apiKey: state.apiKey, fetch, now: Date.now })
  const isService = status.service.installed
  const wait = (ms: number) => sleep(ms, undefined, { ref: false })
  return [
    ...state.findings,
    checkPairing(status, folder),
    ...cloud,
    ...(await checkRootFolders(status.roots, isService, wait)),
    ...checkAgent(status),
    ...checkProxies(cli.environment),
  ]
}

function checkPairing({ paired, cloud }: DeviceStatus, folder: string): Finding {
  if (paired) return ok(`This device is paired with ${cloud}.`)
  return failure(`${folder} contains no pairing.`, 'Run "homeward device pair --cloud <address>".')
}

function checkAgent({ running, service, version, agentVersion, problem }: DeviceStatus): readonly Finding[] {
  const findings: Finding[] = []
  if (!service.installed) {
    const fix = 'To start the agent with the machine, run "homeward device install --root <folder>".'
    findings.push(warning('No service is installed.', fix))
  } else if (service.active === false) {
    findings.push(failure('The service is installed but does not run.', logHint(service.kind)))
  } else findings.push(ok('The service runs.'))
  if (!running && !service.installed) {
    findings.push(warning('No agent runs.', 'Run "homeward device run --root <folder>".'))
  }
  if (running && agentVersion !== version) {
    findings.push(
      warning(
        `The agent that runs has version ${agentVersion}; this program has ${version}.`,
        'Restart the agent.',
      ),
    )
  }
  if (running && problem !== undefined) {
    findings.push(
      failure(`The last heartbeat failed: ${problem}`, 'Fix the points above, then wait a minute.'),
    )
  }
  return findings
}

const logHint = (kind: string) =>
  kind === 'systemd'
    ? 'Read its log with "journalctl -u homeward-device", then run "systemctl restart homeward-device".'
    : 'Run "homeward device install" again.'

/** Node uses proxies only if it is told to. */
function checkProxies(environment: NodeJS.ProcessEnv): readonly Finding[] {
  const names = ['HTTPS_PROXY', 'HTTP_PROXY', 'ALL_PROXY'].flatMap((name) => [name, name.toLowerCase()])
  const set = names.filter((name) => environment[name])
  if (set.length === 0 || environment['NODE_USE_ENV_PROXY'] === '1') return []
  return [
    warning(
      `${set.join(' and ')} is set, but the agent calls the cloud directly.`,
      'To use the proxy, set NODE_USE_ENV_PROXY=1. It needs Node 24 or newer.',
    ),
  ]
}

/** Prints every finding. @throws {CliError} if one is an error, so that the exit code tells. */
export async function runDoctor(options: DeviceOptions, cli: Cli): Promise<void> {
  const output = openOutput(cli, options)
  const findings = await findProblems(options, cli)
  output.result({ findings }, () => findings.map((finding) => toLine(finding, output)).join('\n'))
  const errors = findings.filter(({ level }) => level === 'error').length
  if (errors > 0)
    throw new CliError(errors === 1 ? 'One problem must be fixed.' : `${errors} problems must be fixed.`)
}

function toLine({ level, problem, fix }: Finding, output: Output): string {
  const styles = { ok: 'green', warning: 'yellow', error: 'red' } as const
  const label = output.style(styles[level], level.padEnd(7))
  return fix === '' ? `${label}  ${problem}` : `${label}  ${problem}\n         ${fix}`
}

/** Checks that each folder is there and can be read. A disk that does not respond is found, too. */
async function checkRootFolders(
  roots: readonly string[],
  isService: boolean,
  sleep: (ms: number) => Promise<unknown>,
): Promise<readonly Finding[]> {
  if (roots.length === 0) {
    return [
      warning(
        'No agent has run here yet, so no folder is open.',
        'Run "homeward device run --root <folder>".',
      ),
    ]
  }
  return Promise.all(
    roots.map(async (root) => {
      const silent = failure(`The disk of ${root} does not respond.`, 'Check the mount, or remove the root.')
      return Promise.race([checkRoot(root, isService), sleep(3000).then(() => silent)])
    }),
  )
}

async function checkRoot(root: string, isService: boolean): Promise<Finding> {
  try {
    if (!(await stat(root)).isDirectory()) {
      return failure(`${root} is not a folder.`, 'Name a folder with --root.')
    }
    await access(root, constants.R_OK | constants.X_OK)
    if (!isService) return ok(`${root} can be read.`)
    return ok(`${root} is there. The service needs to read it: see "homeward device install --help".`)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
      return failure(
        `There is no folder ${root}.`,
        'Make it, mount its disk, or name another one with --root.',
      )
    }
    return failure(
      `${root} cannot be read by this user.`,
      `Give read rights, such as: setfacl -R -m u:USER:rX "${root}"`,
    )
  }
}
