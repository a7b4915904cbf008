import { readSettings } from './settings.ts'

/** The addresses of the server that `homeward start` runs with the same environment, as this machine reaches them. */
interface LocalUrls {
  /** The agent platform: `http://127.0.0.1:3010` */
  readonly agents: string
  /** The device cloud: `http://127.0.0.1:3000` */
  readonly devices: string
}

/**
 * Reads the addresses from `HOST`, `PORT`, `CLOUD_HOST` and `CLOUD_PORT`.
 *
 * @throws {Error} that names every variable that cannot be used, and why.
 */
export function localUrls(environment: NodeJS.ProcessEnv): LocalUrls {
  const { host, port, cloudHost, cloudPort } = readSettings(environment)
  return { agents: toUrl(host, port), devices: toUrl(cloudHost, cloudPort) }
}

function toUrl(host: string, port: number): string {
  const reachable = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`
}
