/** The size that a service says has to be that of the bytes: neither it nor a proxy on the way may compress them. */
export function uncompressed(init: RequestInit): RequestInit {
  const headers = new Headers(init.headers)
  headers.set('accept-encoding', 'identity')
  return { ...init, headers }
}
