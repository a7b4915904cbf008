import * as z from 'zod/mini'

const readable = z.regex(/^[^\p{Cc}\p{Cs}]*$/u, 'must not hold control characters or broken Unicode')

const isWebUrl = (text: string) => {
  const url = URL.parse(text)
  return url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === ''
}

/** Address of a webhook: `https://` or `http://`, without user name and password, at most 2,048 characters. */
export const WebhookUrl = z
  .string()
  .check(z.minLength(1), z.maxLength(2048), readable)
  .check(z.refine(isWebUrl, 'must be an http:// or https:// address without user name and password'))

/** Secret of a webhook by Standard Webhooks: `whsec_`, then 24 to 64 bytes as base64. */
export const WebhookSecret = z
  .string()
  .check(z.regex(/^whsec_(?:[A-Za-z0-9+/]{4}){8,21}(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/))
