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

/** The addresses by which other machines reach a server on `port`: none when it listens on loopback, IPv4 first. */
export function networkUrlsOf(host: string, port: number): readonly string[] {
  if (isLoopback(host)) return []
  const isAny = host === '0.0.0.0' || host === '::'
  return (isAny ? outerAddresses(host) : [host]).map((address) => `http://${toHeader(address)}:${port}`)
}

function outerAddresses(host: string): string[] {
  const found = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? [])
  // An address of the link alone needs the name of an interface, which differs from machine to machine.
  const outer = found.filter(({ internal, address }) => !internal && !address.startsWith('fe80:'))
  const ofFamily = (family: string) => outer.filter((each) => each.family === family)
  const reached = host === '::' ? [...ofFamily('IPv4'), ...ofFamily('IPv6')] : ofFamily('IPv4')
  return reached.map(({ address }) => address)
}

/** Clients leave out the port that their scheme has anyway. */
const withPort = (name: string, port: number) =>
  port === 80 || port === 443 ? [name, `${name}:${port}`] : [`${name}:${port}`]

const toHeader = (address: string) => (address.includes(':') ? `[${address.split('%')[0]}]` : address)
