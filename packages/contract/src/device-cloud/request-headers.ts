/** Header that makes a creation safe to repeat. */
export const idempotencyKey = {
  name: 'Idempotency-Key',
  description:
    'Up to 255 characters. A retry with the same key and body within 24 hours gets the first response and creates nothing.',
}

/** Header that has a list held until there is work. */
export const preferWait = {
  name: 'Prefer',
  description:
    '`wait=N` (RFC 7240, N <= 60): the server holds the response until there is work or N seconds are over. The response then has `Preference-Applied`.',
}

/** Header that has the request for all work held until there is some. */
export const preferLongWait = {
  name: 'Prefer',
  description:
    '`wait=N` (RFC 7240, N <= 300): the server holds the response until there is work or N seconds are over. The response then has `Preference-Applied`.',
}

/** Header of a change that is only made if nobody made another one. */
export const ifMatch = {
  name: 'If-Match',
  description:
    '`ETag` of an earlier response (RFC 9110). If the resource has changed since, the response is 412 and nothing changes.',
}

/** Header by which {@link ifMatch} names a version. */
export const entityTag = {
  name: 'ETag',
  description: 'Strong entity tag of what users can change. Presence does not count.',
}
