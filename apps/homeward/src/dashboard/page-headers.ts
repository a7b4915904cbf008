/** Only files of this server run, load and are called; nothing frames the pages. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  // pictures of messages: the page fetches them with its token
  "img-src 'self' blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** What every page is sent with, errors too. */
export const pageHeaders: Readonly<Record<string, string>> = {
  'content-security-policy': policy,
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
}
