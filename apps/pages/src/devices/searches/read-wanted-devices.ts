import { type DeviceFilter, everyDevice } from '../devices/device-filter.ts'

/**
 * The devices that the page was opened for: of the address, or of the history where there are many. The browser keeps both
 * over a reload.
 */
export function readWantedDevices(): ReadonlySet<string> {
  const inAddress = new URLSearchParams(location.search).getAll('device')
  const state: unknown = history.state
  const inHistory: unknown =
    typeof state === 'object' && state !== null ? Reflect.get(state, 'deviceIds') : undefined
  const known = Array.isArray(inHistory) ? inHistory.filter((each) => typeof each === 'string') : []
  return new Set([...inAddress, ...known])
}

/** The filter that the page was opened with, by the names that the list of devices has in its address. */
export function readWantedFilter(): DeviceFilter {
  const params = new URLSearchParams(location.search)
  const read = Object.entries(everyDevice).map(([name, initial]: [string, string]) => [
    name,
    params.get(name) ?? initial,
  ])
  return Object.fromEntries(read) as DeviceFilter // it has just these names
}

/** The text that the page was opened to search for: `q` of the address. */
export const readWantedQuery = (): string => new URLSearchParams(location.search).get('q') ?? ''
