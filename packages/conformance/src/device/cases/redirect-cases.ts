import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { check } from '../../conformance-case.ts'
import { rules } from '../../references.ts'
import type { DeviceOperation } from '../cloud/seen-request.ts'
import type { DeviceCase, DeviceTrial } from '../device-trial.ts'
import { onlyFirst } from './broken-answer-cases.ts'

/** A server that nobody should come to; gives its address and what came. */
async function withStranger(
  trial: DeviceTrial,
  run: (url: string, visits: readonly string[]) => Promise<void>,
): Promise<void> {
  const visits: string[] = []
  const server = createServer((request, response) => {
    const hasKey = JSON.stringify(request.headers).includes(trial.cloud.key)
    visits.push(`${request.method} ${hasKey ? 'with the key' : 'without the key'}`)
    request.resume()
    response.end('{"requests":[],"success":true}')
  })
  const { hostname } = new URL(trial.cloud.url)
  server.listen(0, hostname.replace(/^\[|\]$/g, ''))
  await once(server, 'listening')
  try {
    await run(`http://${hostname}:${(server.address() as AddressInfo).port}/`, visits)
  } finally {
    server.close()
    server.closeAllConnections()
  }
}

function redirect(
  operation: DeviceOperation,
  status: number,
  what: string,
  ask: (trial: DeviceTrial) => void,
): DeviceCase {
  return {
    id: `redirect-${operation}-${status}`,
    title: `A ${status} for ${what} is not followed: the key goes nowhere else, and the work is done later.`,
    holds: rules,
    run: (trial) =>
      withStranger(trial, async (location, visits) => {
        const reply = { status, headers: { location }, body: Buffer.alloc(0) }
        trial.cloud.meddle = onlyFirst(operation, reply)
        ask(trial)
        await trial.until('a request that is redirected', () => trial.of(operation).length > 0)
        await trial.rest(150)
        check(
          visits.length === 0,
          `A redirect must not be followed; another server got: ${visits.join(', ')}.`,
        )
        await trial.until('the same request again', () => trial.of(operation).length > 1)
        check(
          visits.length === 0,
          `A redirect must not be followed; another server got: ${visits.join(', ')}.`,
        )
      }),
  }
}

const addSearch = ({ cloud }: DeviceTrial) => void cloud.work.addSearch('alpha')
const addUpload = ({ cloud, files }: DeviceTrial) =>
  void cloud.work.addUpload(`${files.root}/alpha-notes.txt`)

/** Redirects, which take a key along when they are followed. */
export const redirectCases: readonly DeviceCase[] = [
  redirect('heartbeat', 302, 'a heartbeat', addSearch),
  redirect('searches', 307, 'a list', addSearch),
  redirect('report', 303, 'a report', addSearch),
  redirect('report', 307, 'a report', addSearch),
  redirect('upload', 308, 'a file', addUpload),
]
