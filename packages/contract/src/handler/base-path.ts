/**
 * Cuts the path below which a server is mounted off the path of a request. Empty if the path lies outside: no operation has
 * it, so that the reply is 404 behind the guard.
 *
 * @example
 * pathBelow('/devices', '/devices/api/searches') // '/api/searches'
 */
export function pathBelow(basePath: string, path: string): string {
  if (basePath === '') return path
  return path.startsWith(`${basePath}/`) ? path.slice(basePath.length) : ''
}

/** The form in which a base path is used: without a slash at its end. */
export const toBasePath = (given = ''): string => given.replace(/\/+$/, '')

/** Whether an option can be a base path, such as `/devices`. */
export const isBasePath = (value: unknown): boolean =>
  typeof value === 'string' && /^(?:\/[\w.~!$&'()*+,;=:@%-]+)*\/?$/.test(value)
