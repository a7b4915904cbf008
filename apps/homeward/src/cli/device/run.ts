import { Secret } from '@homeward/device-sdk'
import { createKeyFile } from '@homeward/device-sdk/node'
import { createEnrollment } from '../../device/enrollment.ts'
import { reportMissingRoots } from '../../device/missing-roots.ts'
import { readPairedSettings } from '../../settings/device-settings.ts'
import { assertStateFolder, startDeviceAgent } from '../../device/start-device-agent.ts'
import { onTermination } from '../../program/on-termination.ts'
import type { Cli } from '../cli.ts'
import { CliError } from '../cli-error.ts'
import { exitCodes } from '../exit-codes.ts'
import { checkRoots } from './check-roots.ts'
import { recordContact } from './contact-file.ts'
import { checkCloudUrl, type DeviceOptions } from './device-options.ts'
import { readPairing, writePairing, type Pairing } from './pairing-file.ts'
import { fromSetArguments } from './service/service-environment.ts'
import { findStateFolder } from './state-folder.ts'

/** Options of `homeward device run`. */
export interface RunOptions extends DeviceOptions {
  readonly root?: readonly string[]
  /** Variables of the environment, where a service cannot have them: `NAME=value`. */
  readonly set?: readonly string[]
}

/**
 * Runs the device agent until it is asked to end. It works with the pairing of the state folder. Without one, it enrolls at
 * `CLOUD_URL`, or uses the key of `DEVICE_API_KEY`.
 */
export async function runDevice(options: RunOptions, cli: Cli): Promise<void> {
  const roots = checkRoots('Running the device agent', options.root)
  const { folder } = findStateFolder(options.state, cli.environment)
  const log = createLog(options, cli)
  const settings = readPairedSettings({ ...cli.environment, ...fromSetArguments(options.set) })
  const pairing = await readPairing(folder)
  const cloudUrl = chooseCloud(pairing, settings.cloudUrl, folder)
  await assertStateFolder(folder)
  await reportMissingRoots(roots, log)
  log(`opens ${roots.join(', ')} to ${cloudUrl}. Ctrl-C ends it.`)
  const key = chooseKey({ pairing, cloudUrl, folder, log, settings })
  const onEnrollmentError = () => void running.close().finally(() => process.exit(exitCodes.failed))
  const running = await startDeviceAgent({
    ...settings,
    cloudUrl,
    roots,
    stateFolder: folder,
    log,
    ...key,
    onEnrollmentError,
  })
  recordContact(folder, running, roots)
  onTermination(() => running.close())
}

function chooseCloud(
  pairing: Pairing | undefined,
  fromEnvironment: string | undefined,
  folder: string,
): string {
  const wanted = fromEnvironment === undefined ? undefined : checkCloudUrl(fromEnvironment)
  const cloudUrl = pairing?.cloudUrl ?? wanted
  if (cloudUrl === undefined) {
    throw new CliError(
      `Running the device agent failed: ${folder} contains no pairing. Run "homeward device pair --cloud <address>" first.`,
    )
  }
  if (wanted === undefined || wanted === cloudUrl) return cloudUrl
  throw new CliError(
    `Running the device agent failed: this device is paired with ${cloudUrl}, but CLOUD_URL is ${wanted}. ` +
      'Remove CLOUD_URL, or choose another folder with --state.',
  )
}

interface KeyChoice {
  readonly pairing: Pairing | undefined
  readonly cloudUrl: string
  readonly folder: string
  readonly log: (line: string) => void
  readonly settings: ReturnType<typeof readPairedSettings>
}

function chooseKey({ pairing, cloudUrl, folder, log, settings }: KeyChoice) {
  const { apiKey, enrollmentToken } = settings
  const name = pairing?.name ?? settings.name
  if (apiKey instanceof Secret) return { apiKey }
  if (pairing?.deviceId !== undefined) return { apiKey: createKeyFile({ folder }) }
  const show = (text: string) => log(`\n${text}`)
  const enrollment = createEnrollment({ cloudUrl, stateFolder: folder, name, enrollmentToken, log, show })
  return {
    apiKey: enrollment.apiKey,
    async enroll(signal: AbortSignal) {
      const { deviceId } = await enrollment.enroll(signal)
      await writePairing(folder, { cloudUrl, name, deviceId, pairedAt: new Date().toISOString() })
    },
  }
}

/** One line for each fact: with its time, or as JSON. */
function createLog({ json = false }: DeviceOptions, { stdout }: Cli): (line: string) => void {
  return (message) => {
    const time = new Date().toISOString()
    stdout.write(json ? `${JSON.stringify({ time, message })}\n` : `${time} ${message}\n`)
  }
}
