import type { LookupAddress, LookupOptions } from 'node:dns'
import { isIP } from 'node:net'
import type { Fetch } from '../http/fetch-option.ts'

/** Resolves a host name to all of its addresses. */
export type ResolveHost = (
  host: string,
  options: LookupOptions & { readonly all: true },
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void

/** Returns the addresses of a host that may be connected to, or one sentence with the reason if none is allowed. */
export type ChooseAddresses = (addresses: readonly string[]) => readonly string[] | string

/** Error for a request whose address is not allowed. No connection was made. */
export class AddressRefused extends Error {
  override readonly name = 'AddressRefused'
}

/** A DNS lookup that returns the checked addresses, so that a second lookup cannot change them. */
export function checkedLookup(choose: ChooseAddresses, resolveHost: ResolveHost) {
  return (
    host: string,
    options: LookupOptions,
    callback: (error: Error | null, address: string | LookupAddress[], family?: number) => void,
  ): void => {
    resolveHost(host, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return callback(error, '')
      try {
        const allowed = chooseFrom(addresses, choose)
        const [first] = allowed
        if (options.all === true) callback(null, [...allowed])
        else callback(null, first!.address, first!.family)
      } catch (refused) {
        callback(refused as AddressRefused, '') // thrown by nothing else
      }
    })
  }
}

function chooseFrom(addresses: readonly LookupAddress[], choose: ChooseAddresses): readonly LookupAddress[] {
  if (addresses.length === 0) throw new AddressRefused('its host name cannot be resolved')
  const chosen = choose(addresses.map(({ address }) => address))
  if (typeof chosen === 'string') throw new AddressRefused(chosen)
  const allowed = addresses.filter(({ address }) => chosen.includes(address))
  if (allowed.length === 0) throw new AddressRefused('connections to its addresses are not allowed')
  return allowed
}

/**
 * Creates a `fetch` that chooses the addresses of a host when it connects.
 *
 * Redirects are not followed. No time limit applies, so end a request with a signal. The certificates of the process
 * apply. If the process uses a proxy, the proxy connects, and the addresses cannot be checked.
 *
 * @throws {TypeError} whose `cause` is {@link AddressRefused} if no address of the host is allowed
 * @example
 * const fetch = createCheckedFetch((addresses) => addresses.filter((address) => !isMetadataAddress(address)))
 */
export function createCheckedFetch(choose: ChooseAddresses, resolveHost?: ResolveHost): Fetch {
  let known: { readonly found: Dispatcher; readonly dispatcher: Dispatcher } | undefined
  const dispatcherFor = (found: Dispatcher, lookup: ResolveHost): Dispatcher => {
    if (known?.found !== found)
      known = { found, dispatcher: toPatient(checkedDispatcher(found, checkedLookup(choose, lookup))) }
    return known.dispatcher
  }

  return async (url, init) => {
    const host = new URL(url).hostname.replaceAll(/^\[|\]$/g, '').replace(/\.$/, '')
    const lookup = resolveHost ?? (await import('node:dns')).lookup
    let dispatcher: Dispatcher | undefined
    try {
      if (isIP(host) !== 0) chooseFrom([{ address: host, family: isIP(host) }], choose)
      // Node loads what its fetch sends with when one of its classes is used first.
      void new Response()
      const found = findDispatcher()
      if (found) dispatcher = dispatcherFor(found, lookup)
      else if (isIP(host) === 0) await lookUp(host, checkedLookup(choose, lookup))
    } catch (cause) {
      throw new TypeError('fetch failed', { cause })
    }
    const redirect = init.redirect === 'error' ? 'error' : 'manual'
    const options: RequestInit & { readonly dispatcher?: Dispatcher } = {
      ...init,
      redirect,
      ...(dispatcher && { dispatcher }),
    }
    return globalThis.fetch(url, options)
  }
}

/** For other runtimes, which connect in a way of their own: the addresses are looked at before. */
const lookUp = (host: string, lookup: ReturnType<typeof checkedLookup>): Promise<void> =>
  new Promise((resolve, reject) => {
    lookup(host, { all: true }, (error) => (error === null ? resolve() : reject(error)))
  })

interface Dispatcher {
  dispatch(options: object, handler: unknown): unknown
}

/** Where Node keeps what its `fetch` sends requests with, the newest name first. */
const dispatcherKeys = [2, 1].map((version) => Symbol.for(`undici.globalDispatcher.${version}`))

function findDispatcher(): Dispatcher | undefined {
  const found = dispatcherKeys.map((key): unknown => Reflect.get(globalThis, key))
  return found.find((each) => isObject(each) && typeof each['dispatch'] === 'function') as
    | Dispatcher
    | undefined
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

/** An agent of its own that connects to chosen addresses; another dispatcher, such as that of a proxy, as it is. */
function checkedDispatcher(found: Dispatcher, lookup: unknown): Dispatcher {
  const { constructor } = found
  if (constructor.name !== 'Agent') return found
  const symbol = Object.getOwnPropertySymbols(found).find(({ description }) => description === 'options')
  const options: unknown = symbol && Reflect.get(found, symbol)
  const given = isObject(options) ? options : {}
  if (typeof given['connect'] === 'function') return found
  const connect = { ...(isObject(given['connect']) ? given['connect'] : {}), lookup }
  return Reflect.construct(constructor, [{ ...given, connect }]) as Dispatcher // of the same class
}

const toPatient = (inner: Dispatcher): Dispatcher => ({
  dispatch: (options, handler) => inner.dispatch({ ...options, headersTimeout: 0, bodyTimeout: 0 }, handler),
})
