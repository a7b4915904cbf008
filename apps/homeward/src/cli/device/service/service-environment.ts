import { pairedVariables } from '../../../settings/device-settings.ts'
import { CliError } from '../../cli-error.ts'
import { exitCodes } from '../../exit-codes.ts'

/** What Node reads to reach the cloud. It is read when the process starts. */
const networkVariables = [
  'NODE_USE_ENV_PROXY',
  'HTTPS_PROXY',
  'HTTP_PROXY',
  'NO_PROXY',
  'NODE_EXTRA_CA_CERTS',
]

/** The pairing has the address and the key, and every user can read a service file. */
const leftOut = new Set(['CLOUD_URL', 'DEVICE_API_KEY', 'ENROLLMENT_TOKEN'])

/** The variables with which a service runs as the agent of this environment would. They contain no secret. */
export function toServiceEnvironment(environment: NodeJS.ProcessEnv): Readonly<Record<string, string>> {
  const names = [...pairedVariables, ...networkVariables].filter((name) => !leftOut.has(name))
  const given = names.map((name) => [name, environment[name]?.trim() ?? ''] as const)
  return Object.fromEntries(given.filter(([, value]) => value !== '' && !hasPassword(value)))
}

const hasPassword = (value: string): boolean => /^\w+:\/\/[^/]*@/.test(value)

/** The settings of the agent itself, as arguments of `device run`: where a service has no environment of its own. */
export const toSetArguments = (environment: Readonly<Record<string, string>>): readonly string[] =>
  Object.entries(environment)
    .filter(([name]) => pairedVariables.includes(name))
    .flatMap(([name, value]) => ['--set', `${name}=${value}`])

/** Reads what {@link toSetArguments} wrote. @throws {CliError} wrong use. */
export const fromSetArguments = (given: readonly string[] = []): NodeJS.ProcessEnv =>
  Object.fromEntries(
    given.map((text) => {
      const end = text.indexOf('=')
      if (end > 0) return [text.slice(0, end), text.slice(end + 1)]
      throw new CliError('Running the device agent failed: "--set" must be NAME=value.', exitCodes.usage)
    }),
  )
