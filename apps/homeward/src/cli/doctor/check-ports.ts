import { createServer } from 'node:net'
import type { Settings } from '../../settings/settings.ts'
import { error, type Checked, type Finding } from './finding.ts'

/** One of the two servers, as this machine reaches it. */
interface Place {
  readonly name: string
  readonly host: string
  readonly port: number
  readonly url: string
  readonly variable: string
}

/** Whether both ports are free, or the server is there already. */
export async function checkPorts(
  settings: Settings,
  urls: { readonly agents: string; readonly devices: string },
): Promise<Checked & { readonly isRunning: boolean }> {
  const { host, port, cloudHost, cloudPort } = settings
  const places: Place[] = [
    { name: 'agent platform', host, port, url: urls.agents, variable: 'PORT' },
    { name: 'device cloud', host: cloudHost, port: cloudPort, url: urls.devices, variable: 'CLOUD_PORT' },
  ]
  const states = await Promise.all(places.map(async (place) => ({ place, state: await stateOf(place) })))
  const findings = states.flatMap(({ place, state }) => findingsOf(place, state))
  const isRunning = states.every(({ state }) => state === 'ours')
  const about = isRunning ? 'the server runs' : `${port} and ${cloudPort} are free`
  return { name: 'Ports', about, findings, isRunning }
}

function findingsOf({ name, host, port, variable }: Place, state: string): Finding[] {
  if (state === 'free' || state === 'ours') return []
  const where = `${host}:${port}`
  if (state === 'EADDRINUSE') {
    const fix = `End that program, or choose another port with ${variable}.`
    return [error(`Another program uses ${where}, where the ${name} would listen.`, fix)]
  }
  const fix = `Choose another address with HOST or CLOUD_HOST, or another port with ${variable}.`
  return [error(`The ${name} cannot listen on ${where} (${state}).`, fix)]
}

/** `free`, `ours`, or the code of what fails. */
async function stateOf({ host, port, url }: Place): Promise<string> {
  if (port === 0) return 'free'
  const { promise, resolve } = Promise.withResolvers<string>()
  const server = createServer()
  server.once('error', (cause: NodeJS.ErrnoException) => resolve(cause.code ?? 'unknown'))
  server.listen({ host, port, exclusive: true }, () => server.close(() => resolve('free')))
  const state = await promise
  return state === 'EADDRINUSE' && (await isOurs(url)) ? 'ours' : state
}

/** Both servers describe their interface. */
async function isOurs(url: string): Promise<boolean> {
  try {
    const response = await fetch(`${url}/openapi.json`, { signal: AbortSignal.timeout(3000) })
    const { info } = (await response.json()) as { info?: { title?: string } }
    return info?.title?.startsWith('Homeward') === true
  } catch {
    return false
  }
}
