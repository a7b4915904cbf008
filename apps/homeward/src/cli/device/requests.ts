import { join } from 'node:path'
import { type ConsentDecisions, createConsentDecisions, type WaitingRequest } from '@homeward/device-sdk/node'
import { printable } from '../../terminal/printable.ts'
import type { Cli } from '../cli.ts'
import { CliError } from '../cli-error.ts'
import { exitCodes } from '../exit-codes.ts'
import { openOutput } from '../output.ts'
import type { DeviceOptions } from './device-options.ts'
import { findStateFolder, giveToOwner } from './state-folder.ts'

/** Options of `homeward device allow` and `deny`. */
export interface DecisionOptions extends DeviceOptions {
  readonly for?: string
  readonly all?: boolean
}

const hourMs = 3_600_000
const durations: Readonly<Record<string, number>> = { '1h': hourMs, '1d': 24 * hourMs, always: Infinity }

/** Prints the requests that wait for the owner of this device. */
export async function listRequests(options: DeviceOptions, cli: Cli): Promise<void> {
  const requests = await withDecisions(options, cli, (decisions) => decisions.list())
  const none = 'No request waits.'
  openOutput(cli, options).result(requests, () =>
    requests.length === 0 ? none : requests.map(toLine).join('\n'),
  )
}

/** Lets a request go, and with `--for` those like it. */
export async function allowRequest(id: string, options: DecisionOptions, cli: Cli): Promise<void> {
  const forMs = options.for === undefined ? 0 : durations[options.for]
  if (forMs === undefined)
    throw new CliError('Allowing the request failed: "--for" must be 1h, 1d or always.', exitCodes.usage)
  const request = await decide(id, true, forMs, options, cli)
  const { actor, kind } = request
  const rest =
    forMs === 0 ? '' : ` ${actor} may ask for ${kind === 'file' ? 'files' : 'searches'}: ${options.for}.`
  const result = { id, allowed: true, ...(forMs > 0 && { actor, kind, for: options.for }) }
  openOutput(cli, options).result(result, () => printable(`Allowed ${id}.${rest}`))
}

/** Denies a request; with `--all` all of them, and what was allowed in advance. */
export async function denyRequest(id: string | undefined, options: DecisionOptions, cli: Cli): Promise<void> {
  const output = openOutput(cli, options)
  if ((id === undefined) !== (options.all === true))
    throw new CliError('Denying failed: pass the id of a request, or "--all".', exitCodes.usage)
  if (id !== undefined) {
    await decide(id, false, 0, options, cli)
    return output.result({ id, allowed: false }, () => printable(`Denied ${id}.`))
  }
  const { denied, revoked } = await withDecisions(options, cli, async (decisions) => {
    const grants = await decisions.revokeGrants()
    const requests = await decisions.list()
    for (const request of requests) await decisions.decide(request.id, false)
    return { denied: requests.length, revoked: grants }
  })
  output.result({ denied, revoked }, () => `Denied ${denied} requests, and ended ${revoked} permissions.`)
}

async function decide(
  id: string,
  allow: boolean,
  forMs: number,
  options: DeviceOptions,
  cli: Cli,
): Promise<WaitingRequest> {
  const request = await withDecisions(options, cli, (decisions) => decisions.decide(id, allow, forMs))
  if (request !== undefined) return request
  throw new CliError(
    `Deciding failed: no request with the id ${printable(id)} waits. Run "homeward device requests".`,
  )
}

/** The agent may run as another user, who has to read what root writes. */
async function withDecisions<Result>(
  options: DeviceOptions,
  { environment }: Cli,
  use: (decisions: ConsentDecisions) => Promise<Result>,
): Promise<Result> {
  const { folder } = findStateFolder(options.state, environment, true)
  try {
    const result = await use(createConsentDecisions({ folder }))
    await giveToOwner(join(folder, 'consent')).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error // no request came yet
    })
    return result
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    if (code !== 'EACCES' && code !== 'EPERM') throw cause
    const fix = 'Run the command as the owner of the folder, or with sudo.'
    throw new CliError(`Opening ${join(folder, 'consent')} failed: ${code}. ${fix}`, undefined, { cause })
  }
}

function toLine({ id, kind, actor, query, scope = [], path, at }: WaitingRequest): string {
  const what = kind === 'file' ? path : `"${query}" in ${scope.join(', ')}`
  return printable(`${id}  ${kind}  ${actor}  ${what}  (since ${at})`)
}
