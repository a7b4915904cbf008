import type { IncomingMessage, RequestListener } from 'node:http'
import { HttpError, type createAccessGuard } from '@homeward/contract/handler'
import { H3 } from 'h3'
import { toNodeHandler } from 'h3/node'
import type { Dashboard } from './dashboard.ts'
import { withoutSlash } from '../http/open-port.ts'
import { showDashboard } from './show-dashboard.ts'

/** Path → what it shows for `GET`, to the caller whose connection is known under `node:http`. `POST /sign-out` → what a write does. */
export type Pages = Readonly<
  Record<string, (request: Request, caller?: IncomingMessage) => Response | Promise<Response>>
>

/** What {@link answerPage} answers with. */
export interface PageOptions {
  readonly pages: Pages
  /** What is shown for every other path. Undefined for none. */
  readonly dashboard?: Dashboard | undefined
  readonly guard: ReturnType<typeof createAccessGuard>
  /** Body of an error: each interface has its own. */
  readonly errorBody: (error: HttpError) => object
}

/** Shows pages over `node:http`, as {@link answerPage} answers. */
export function createPageListener(options: PageOptions): RequestListener {
  // a path that cannot be decoded is one that nobody knows, not an error in the words of h3
  const app = new H3({ allowMalformedURL: true }).all('/**', (event) =>
    answerPage(event.req, options, event.req.runtime?.node?.req as IncomingMessage),
  )
  const show = toNodeHandler(app)
  return (request, response) => void show(request, response)
}

/** The page at a path. A slash at its end changes nothing, as it does not for the API. */
export function findPage(pages: Pages, path: string): Pages[string] | undefined {
  const name = withoutSlash(path)
  return Object.hasOwn(pages, name) ? pages[name] : undefined
}

/** Shows a document that is the same for everybody. Making one takes its time, so it is made once, when it is asked for. */
export function documentPage(make: () => Promise<object>): Pages[string] {
  let text: Promise<string> | undefined
  return async () => {
    text ??= make().then((document) => JSON.stringify(document))
    return new Response(await text, { headers: { 'content-type': 'application/json' } })
  }
}

/** Answers what is not the API, under the same guard and with the same error bodies. */
export async function answerPage(
  request: Request,
  options: PageOptions,
  caller?: IncomingMessage,
): Promise<Response> {
  const response = await answer(request, options, caller)
  for (const [name, value] of Object.entries(pageHeaders)) response.headers.set(name, value)
  return response
}

async function answer(
  request: Request,
  { pages, dashboard, guard, errorBody }: PageOptions,
  caller: IncomingMessage | undefined,
): Promise<Response> {
  try {
    guard({ header: (name) => request.headers.get(name) ?? undefined })
    const { pathname } = new URL(request.url)
    const write = request.method === 'POST' ? findPage(pages, `POST ${pathname}`) : undefined
    if (write) return await write(request, caller)
    const page = findPage(pages, pathname)
    const shown = page === undefined && dashboard ? showDashboard(dashboard, request) : undefined
    if (!page && !shown) throw new HttpError(404, { error: 'Not found' })
    if (request.method === 'GET' || request.method === 'HEAD') return shown ?? (await page!(request, caller))
    const message = `${request.method} is not possible here. Use GET.`
    throw new HttpError(405, { error: 'Method not allowed', message }, { allow: 'GET, HEAD' })
  } catch (error) {
    if (!(error instanceof HttpError)) throw error
    const body = errorBody(error)
    const named = 'request_id' in body ? { 'x-request-id': String(body.request_id) } : {}
    return Response.json(body, { status: error.status, headers: { ...error.headers, ...named } })
  }
}

/** Only files of this server run, load and are called; nothing frames the pages. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  // pictures of messages: the page fetches them with its token
  "img-src 'self' blob:",
  "font-src 'self'",
  // previews of PDF: the viewer of the browser in a frame
  'frame-src blob:',
  "connect-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** What every page is sent with, errors too. */
const pageHeaders: Readonly<Record<string, string>> = {
  'content-security-policy': policy,
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
}
