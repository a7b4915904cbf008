/** What keys of well-known services look like. Each begins in a way that ordinary text does not. */
const shapes = [
  /\bsk-[\w-]{16,}/, // OpenAI, Anthropic, OpenRouter
  /\bAIza[\w-]{30,}/, // Google
  /\bya29\.[\w-]{20,}/, // Google access tokens
  /\bxox[a-z]-[\w-]{10,}/, // Slack
  /\bgh[pousr]_\w{30,}/, // GitHub
  /\bgithub_pat_\w{22,}/,
  /\bhw_[\w-]{43}/, // this project's devices
  /\b\d{8,10}:[\w-]{35}/, // Telegram
  /\bAKIA[0-9A-Z]{16}/, // AWS
  /\beyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]{10,}/, // JSON Web Tokens
  /(?<=\bBearer\s)[\w.~+/-]{16,}=*/,
  /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\w+/=\s]{0,20000}(?:-----END [A-Z ]{0,40}PRIVATE KEY-----)?/,
]
const source = shapes.map((shape) => shape.source).join('|')
const anyShape = new RegExp(source)
const everyShape = new RegExp(source, 'g')
/** Characters of the shortest of them. */
export const shortestKey = 16

/** Whether something in a text looks like a key. */
export function mayHoldKey(text: string): boolean {
  return text.length >= shortestKey && anyShape.test(text)
}

/** Takes out what looks like a key. The same text when there is nothing. */
export function withoutKeys(text: string): string {
  return text.length < shortestKey ? text : text.replace(everyShape, '[secret]')
}
