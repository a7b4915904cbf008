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
