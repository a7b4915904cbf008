import type { Command } from 'commander'
import type { Cli } from '../cli.ts'
import type { ConfigureCommand } from '../commands.ts'
import { addDeviceOptions, addRootOption, type DeviceOptions } from './device-options.ts'
import type { InstallOptions } from './install.ts'
import type { LogOptions } from './log.ts'
import type { PairOptions } from './pair.ts'
import type { DecisionOptions } from './requests.ts'
import type { RunOptions } from './run.ts'
import type { UninstallOptions } from './uninstall.ts'

/** `homeward device …`: this machine as a device of a cloud. */
export const configureDevice: ConfigureCommand = (command, cli) => {
  addPair(command, cli)
  addRun(command, cli)
  addInstall(command, cli)
  addUninstall(command, cli)
  addConsent(command, cli)
  addLog(command, cli)
  addDeviceOptions(
    command.command('status').description('Show the cloud, the last contact and the service.'),
  ).action(async (options: DeviceOptions) => (await import('./status.ts')).showStatus(options, cli))
  addDeviceOptions(
    command
      .command('doctor')
      .description('Find what is wrong, and say what to do. Exits with 1 if something is.'),
  ).action(async (options: DeviceOptions) => (await import('./doctor/doctor.ts')).runDoctor(options, cli))
}

function addConsent(command: Command, cli: Cli): void {
  addDeviceOptions(
    command
      .command('requests')
      .description('List searches and files that wait for a yes (DEVICE_CONSENT=ask).'),
  ).action(async (options: DeviceOptions) => (await import('./requests.ts')).listRequests(options, cli))
  addDeviceOptions(command.command('allow <id>').description('Let the search or file with this id go.'))
    .option('--for <time>', 'allow the same actor all searches, or all files, for 1h, 1d or always')
    .action(async (id: string, options: DecisionOptions) =>
      (await import('./requests.ts')).allowRequest(id, options, cli),
    )
  addDeviceOptions(command.command('deny [id]').description('Deny the search or file with this id.'))
    .option('--all', 'deny everything that waits, and end what --for allowed')
    .action(async (id: string | undefined, options: DecisionOptions) =>
      (await import('./requests.ts')).denyRequest(id, options, cli),
    )
}

function addLog(command: Command, cli: Cli): void {
  addDeviceOptions(
    command.command('log').description('Show what was asked of this device, by whom, and what was sent.'),
  )
    .option('--since <time>', 'only what is newer: an ISO time, or 24h, 7d')
    .option('--compare', 'compare it with what the cloud has. Exits with 1 if they differ.')
    .action(async (options: LogOptions) => (await import('./log.ts')).showLog(options, cli))
}

function addPair(command: Command, cli: Cli): void {
  addDeviceOptions(command.command('pair').description('Ask a cloud to let this device in, and wait for it.'))
    .option('--cloud <address>', 'address of the cloud (default: CLOUD_URL)')
    .option('--token <token>', 'enrollment token, hwe_…, instead of a code (default: ENROLLMENT_TOKEN)')
    .option('--name <name>', 'name that users see (default: DEVICE_NAME, or the name of this machine)')
    .action(async (options: PairOptions) => (await import('./pair.ts')).pairDevice(options, cli))
}

const pairingHelp = `
A device that is not paired takes the cloud and an enrollment token from the environment:
  CLOUD_URL         address of the cloud, such as https://app.example/devices
  ENROLLMENT_TOKEN  enrollment token, hwe_…, instead of a code`

function addRun(command: Command, cli: Cli): void {
  addRootOption(addDeviceOptions(command.command('run').description('Run the device agent until Ctrl-C.')))
    .option('--set <variable...>', 'NAME=value: a variable of the environment, where a service has none')
    .addHelpText('after', pairingHelp)
    .action(async (options: RunOptions) => (await import('./run.ts')).runDevice(options, cli))
}

const rightsHelp = `
On Linux the agent runs as the user "homeward-device", who has to be able to read the folders. To let it:
  sudo setfacl -R -m u:homeward-device:rX /srv/shared`

function addInstall(command: Command, cli: Cli): void {
  const text = 'Start the agent with the machine: by systemd, launchd or a Windows task.'
  addPlanOptions(addRootOption(addDeviceOptions(command.command('install').description(text))))
    .option('--user <name>', 'user that it runs as (default on Linux: homeward-device)')
    .addHelpText('after', rightsHelp)
    .action(async (options: InstallOptions) => (await import('./install.ts')).installDevice(options, cli))
}

function addUninstall(command: Command, cli: Cli): void {
  const text = 'Remove the service. Asks before the key of this device is deleted.'
  addPlanOptions(addDeviceOptions(command.command('uninstall').description(text)))
    .option('--yes', 'delete the key, too, without asking')
    .action(async (options: UninstallOptions) =>
      (await import('./uninstall.ts')).uninstallDevice(options, cli),
    )
}

function addPlanOptions(command: Command): Command {
  return command
    .option('--dry-run', 'print what would be written and run, and do nothing')
    .option('--root-dir <folder>', 'use this folder as the root of the disk, and run nothing')
    .option('--service <kind>', 'systemd, launchd or windows (default: of this system)')
}
