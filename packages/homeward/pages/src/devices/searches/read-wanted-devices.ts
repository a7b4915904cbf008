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
