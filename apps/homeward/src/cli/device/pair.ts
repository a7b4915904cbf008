import { rm } from 'node:fs/promises'
import { hostname } from 'node:os'
import { basename, join } from 'node:path'
import {
  type ApiKey,
  DeviceCloudError,
  enrollDevice,
  type EnrolledDevice,
  type EnrollmentCode,
  Secret,
} from '@homeward/device-sdk'
import { createKeyFile } from '@homeward/device-sdk/node'
import { agentMetadata } from '../../device/agent-metadata.ts'
import { platformName } from '../../device/platform-name.ts'
import { printable } from '../../terminal/printable.ts'
import { renderQrCode } from '../../terminal/qr-code.ts'
import type { Cli } from '../cli.ts'
import { CliError } from '../cli-error.ts'
import { exitCodes } from '../exit-codes.ts'
import { openOutput, type Output } from '../output.ts'
import { checkCloudUrl, type DeviceOptions } from './device-options.ts'
import { type Pairing, readPairing, writePairing } from './pairing-file.ts'
import { findStateFolder, giveToOwner } from './state-folder.ts'

/** Options of `homeward device pair`. */
export interface PairOptions extends DeviceOptions {
  readonly cloud?: string
  readonly token?: string
  readonly name?: string
}

/** A cloud that has never responded is taken for a wrong address. One that has shown a code is waited for without an end. */
const silenceMs = 60_000

interface Wish {
  readonly cloudUrl: string
  readonly name: string
  readonly token: Secret | undefined
}

/**
 * Gets this device into a cloud: shows a code and waits until a user approves it, or uses an enrollment token. The key stays in the
 * state folder, with mode 0600. Repeating it is harmless: the same key is the same device.
 */
export async function pairDevice(options: PairOptions, cli: Cli): Promise<void> {
  const { folder } = findStateFolder(options.state, cli.environment)
  const before = await readPairing(folder)
  const wish = readWish(options, cli.environment, before)
  await leaveOtherCloud(before, wish.cloudUrl, folder)
  const output = openOutput(cli, options)
  const apiKey = createKeyFile({ folder })
  await apiKey() // makes the folder
  // Before the key goes anywhere: another cloud must never get it.
  await writePairing(folder, {
    ...(before?.cloudUrl === wish.cloudUrl && before),
    cloudUrl: wish.cloudUrl,
    name: wish.name,
  })
  await giveToOwner(folder)
  const { deviceId } = await enroll({ wish, apiKey, folder, output, interrupt: cli.onInterrupt() })
  await writePairing(folder, {
    cloudUrl: wish.cloudUrl,
    name: wish.name,
    deviceId,
    pairedAt: before?.deviceId === deviceId && before.pairedAt ? before.pairedAt : new Date().toISOString(),
  })
  await giveToOwner(folder)
  const result = { status: 'approved', deviceId, cloud: wish.cloudUrl, name: wish.name, state: folder }
  output.result(result, () => pairedText(result))
}

interface EnrollInput {
  readonly wish: Wish
  readonly apiKey: ApiKey
  readonly folder: string
  readonly output: Output
  readonly interrupt: AbortSignal
}

async function enroll({ wish, apiKey, folder, output, interrupt }: EnrollInput): Promise<EnrolledDevice> {
  const silence = new AbortController()
  const timer = setTimeout(() => silence.abort(), silenceMs)
  try {
    return await enrollDevice({
      baseUrl: wish.cloudUrl,
      apiKey,
      token: wish.token,
      name: wish.name,
      type: 'desktop',
      platform: platformName(),
      metadata: agentMetadata(),
      onCode(code) {
        clearTimeout(timer)
        showCode(code, output)
      },
      onRetry: (error, retryInMs) =>
        output.warn(printable(`${error.message} Next try in ${Math.round(retryInMs / 1000)} s.`)),
      signal: AbortSignal.any([interrupt, silence.signal]),
    })
  } catch (error) {
    if (interrupt.aborted) throw new CliError('Pairing was interrupted.', exitCodes.interrupted)
    if (!silence.signal.aborted) throw toCliError(error, folder)
    throw new CliError(
      `Pairing failed: ${wish.cloudUrl} did not respond within ${silenceMs / 1000} s. Check the address and the network.`,
      exitCodes.unreachable,
    )
  } finally {
    clearTimeout(timer)
  }
}

function pairedText({ cloud, state }: { readonly cloud: string; readonly state: string }): string {
  const script = basename(process.argv[1] ?? '')
  const program = script.endsWith('.cjs') ? `node ${script}` : 'homeward device'
  return [
    `Paired with ${cloud}. The key is in ${state}.`,
    'Next, name the folders that may be searched:',
    `  ${program} run --root "$HOME/Documents"       in this terminal`,
    `  ${program} install --root "$HOME/Documents"   as a service`,
  ].join('\n')
}

function readWish(options: PairOptions, environment: NodeJS.ProcessEnv, paired: Pairing | undefined): Wish {
  const cloud = [options.cloud, environment['CLOUD_URL'], paired?.cloudUrl].find((url) => url?.trim())
  if (cloud === undefined) {
    throw new CliError(
      'Pairing failed: the address of the cloud is missing. Pass --cloud, such as --cloud http://192.0.2.7:3000.',
      exitCodes.usage,
    )
  }
  const token = [options.token, environment['ENROLLMENT_TOKEN']].find((text) => text?.trim())?.trim()
  if (token !== undefined && !/^hwe_[\w-]+$/.test(token)) {
    throw new CliError(
      'Pairing failed: "--token" must be an enrollment token, which starts with "hwe_".',
      exitCodes.usage,
    )
  }
  const name = [options.name, environment['DEVICE_NAME'], paired?.name, hostname()]
    .find((text) => text?.trim())
    ?.trim()
  if (name === undefined || name.length > 200) {
    throw new CliError('Pairing failed: "--name" must have 1 to 200 characters.', exitCodes.usage)
  }
  return { cloudUrl: checkCloudUrl(cloud), name, token: token === undefined ? undefined : new Secret(token) }
}

function showCode(code: EnrollmentCode, output: Output): void {
  const { userCode, verificationUri, verificationUriComplete, expiresInSeconds } = code
  output.result({ status: 'pending', ...code }, () =>
    [
      renderQrCode(verificationUriComplete),
      `To let this device in, open ${printable(verificationUriComplete)}`,
      `or enter the code ${printable(userCode)} at ${printable(verificationUri)}`,
      `Waiting. A new code follows in ${Math.round(expiresInSeconds / 60)} minutes.`,
    ]
      .filter(Boolean)
      .join('\n'),
  )
}

function toCliError(error: unknown, folder: string): unknown {
  if (!DeviceCloudError.is(error)) return error
  const fix = error.code === 'ENROLLMENT_DENIED' ? ` Delete "${folder}/device-key", then pair again.` : ''
  const isDenied = error.code === 'ENROLLMENT_DENIED' || error.status === 403
  return new CliError(printable(error.message) + fix, isDenied ? exitCodes.denied : exitCodes.failed, {
    cause: error,
  })
}

/** A cloud that had a key could act as this device at another one, so each cloud gets a key of its own (D41). */
async function leaveOtherCloud(before: Pairing | undefined, cloudUrl: string, folder: string): Promise<void> {
  if (before === undefined || before.cloudUrl === cloudUrl) return
  if (before.deviceId === undefined) return rm(join(folder, 'device-key'), { force: true })
  throw new CliError(
    `Pairing failed: this device is paired with ${before.cloudUrl}, whose key no other cloud may get. ` +
      `Delete ${folder}, or choose another folder with --state, then pair again.`,
  )
}
