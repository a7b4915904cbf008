/** What a cookie of this server is set with. */
interface CookieOptions {
  /** Origin of the server, as the browser sees it. */
  readonly origin: string
  /** Seconds until the browser deletes the cookie; 0 deletes it. */
  readonly maxAgeSeconds: number
}

/**
 * The name that a cookie has at an origin. With https, the prefix keeps everybody but this host from setting the cookie:
 * other hosts of the domain, and whoever can answer in place of `http://` addresses.
 */
const nameAt = (origin: string, name: string) => (origin.startsWith('https:') ? `__Host-${name}` : name)

/** The header `Set-Cookie`, for a cookie that scripts cannot read and foreign pages cannot send with their requests. */
export function toSetCookie(name: string, value: string, { origin, maxAgeSeconds }: CookieOptions): string {
  const secure = origin.startsWith('https:') ? '; Secure' : ''
  return `${nameAt(origin, name)}=${value}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Lax${secure}`
}

/** The value of a cookie, as the header `Cookie` has it. */
export function readCookie(header: string | undefined, name: string, origin: string): string | undefined {
  const start = `${nameAt(origin, name)}=`
  const found = header?.split(';').find((each) => each.trim().startsWith(start))
  return found?.trim().slice(start.length)
}
