import { hostname, networkInterfaces } from 'node:os'
import { isLoopback, type Settings } from '../settings/settings.ts'

const loopbackNames = ['127.0.0.1', 'localhost', '[::1]']

/** The `Host` headers that a server on `port` may be called by: anything else is how DNS rebinding looks. */
export function knownHosts(
  { host, allowedHosts }: Pick<Settings, 'host' | 'allowedHosts'>,
  port: number,
): string[] {
  const names = isLoopback(host) ? loopbackNames : [...loopbackNames, ...namesOf(host)]
  const own = names.flatMap((name) => withPort(name.toLowerCase(), port))
  return [...new Set([...own, ...allowedHosts])]
}

/** What a server is called that listens on `host`: for one that listens on all addresses, any of the machine's. */
function namesOf(host: string): string[] {
  if (host !== '0.0.0.0' && host !== '::') return [toHeader(host)]
  const addresses = Object.values(networkInterfaces()).flatMap((found) => found ?? [])
  return [hostname(), `${hostname()}.local`, ...addresses.map(({ address }) => toHeader(address))]
}

/** Clients leave out the port that their scheme has anyway. */
const withPort = (name: string, port: number) =>
  port === 80 || port === 443 ? [name, `${name}:${port}`] : [`${name}:${port}`]

const toHeader = (address: string) => (address.includes(':') ? `[${address.split('%')[0]}]` : address)
