import type { Command } from 'commander'
import { CliError } from '../cli-error.ts'
import { exitCodes } from '../exit-codes.ts'

/** What every device command takes. */
export interface DeviceOptions {
  readonly state?: string
  readonly json?: boolean
}

/** Adds `--state` and `--json`. */
export function addDeviceOptions(command: Command): Command {
  // not by `addJsonOption`, whose module knows the agent platform: one executable holds the device alone
  return command
    .option(
      '--state <folder>',
      'folder of the key and the outbox (default: DEVICE_STATE, or ~/.homeward-device)',
    )
    .option('--json', 'print results as JSON')
}

/** Adds `--root`, which takes one or several folders and may be repeated. */
export function addRootOption(command: Command): Command {
  return command.option('--root <path...>', 'folder that may be searched and read; nothing outside is')
}

/** @throws {CliError} wrong use, if the address of a cloud is not one. */
export function checkCloudUrl(given: string): string {
  const url = URL.parse(given.trim())
  const isUsable =
    url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === ''
  if (isUsable && url.search === '' && url.hash === '')
    return `${url.origin}${url.pathname}`.replace(/\/+$/, '')
  const rule = 'must be an http or https address without a password or a query, such as http://192.0.2.7:3000'
  throw new CliError(`Finding the cloud failed: "--cloud" ${rule}.`, exitCodes.usage)
}
