import { agentPlatformOperations } from '@homeward/contract/agent-platform'
import { createClient, type Client } from '@homeward/contract/client'
import { deviceCloudOperations } from '@homeward/contract/device-cloud'
import type { Command } from 'commander'
import { localUrls } from '../settings/local-urls.ts'
import { CliError } from './cli-error.ts'
import { exitCodes } from './exit-codes.ts'

/** What {@link addServerOptions} adds. */
export interface ServerOptions {
  readonly url?: string
  readonly token?: string
  readonly json?: boolean
}

/** Where a server is, and what it is called with. */
export interface ServerAddress {
  /** Without a slash at the end: `http://127.0.0.1:3010` */
  readonly url: string
  /** Never printed. */
  readonly token: string | undefined
}

/** Which of the two servers. */
type ServerName = 'agents' | 'devices'

/** Adds `--json`, which every command that prints has. */
export function addJsonOption(command: Command): Command {
  return command.option('--json', 'print results as JSON')
}

/** Adds `--url`, `--token` and `--json`. */
export function addServerOptions(command: Command): Command {
  command.option('--url <address>', 'address of the server (default: from HOST and PORT)')
  const token = 'access token; other users of this machine can read arguments, so prefer API_TOKEN'
  return addJsonOption(command.option('--token <token>', token))
}

/**
 * Reads where the server is: `--url`, or the server that `homeward start` runs with the same environment. The token is
 * `--token`, then `HOMEWARD_TOKEN`, then, for the agent platform only, `API_TOKEN`.
 *
 * @throws {CliError} when the address or the environment cannot be used.
 */
export function toServerAddress(
  options: ServerOptions,
  environment: NodeJS.ProcessEnv,
  server: ServerName = 'agents',
): ServerAddress {
  const names = server === 'agents' ? ['HOMEWARD_TOKEN', 'API_TOKEN'] : ['HOMEWARD_TOKEN']
  const token = [options.token, ...names.map((name) => environment[name])]
    .map((given) => given?.trim() ?? '')
    .find((given) => given !== '')
  return { url: options.url === undefined ? localUrl(server, environment) : toUrl(options.url), token }
}

function localUrl(server: ServerName, environment: NodeJS.ProcessEnv): string {
  try {
    return localUrls(environment)[server]
  } catch (error) {
    throw new CliError((error as Error).message, exitCodes.usage, { cause: error })
  }
}

function toUrl(given: string): string {
  const url = URL.parse(given)
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') {
    const message = 'Finding the server failed: "--url" must be an http or https address without a password.'
    throw new CliError(message, exitCodes.usage)
  }
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '')
}

const toClientOptions = ({ url, token }: ServerAddress) => ({
  baseUrl: url,
  ...(token !== undefined && { headers: { authorization: `Bearer ${token}` } }),
})

/** A typed client of the agent platform. Its calls reject with `ClientError`, which the exit code follows. */
export function connectAgents(address: ServerAddress): Client<typeof agentPlatformOperations> {
  return createClient(agentPlatformOperations, toClientOptions(address))
}

/** A typed client of the device cloud, for users. */
export function connectDevices(address: ServerAddress): Client<typeof deviceCloudOperations> {
  return createClient(deviceCloudOperations, toClientOptions(address))
}
