import { deviceCloudOperations } from '@homeward/contract/device-cloud'
import { HttpError, type createAccessGuard } from '@homeward/contract/handler'
import { toOpenApi } from '@homeward/contract/openapi'

const document = toOpenApi({
  operations: deviceCloudOperations,
  title: 'Homeward device cloud',
  version: '0.1.0',
})

/** Path → what it shows. */
const pages: Readonly<Record<string, () => Response>> = {
  '/': () => new Response('Homeward device cloud. See /openapi.json\n'),
  '/openapi.json': () => Response.json(document),
}

/** Answers what is not the API, under the same guard and with the same error bodies. */
export function answerPage(request: Request, guard: ReturnType<typeof createAccessGuard>): Response {
  const response = guarded(request, guard)
  response.headers.set('x-content-type-options', 'nosniff')
  return response
}

function guarded(request: Request, guard: ReturnType<typeof createAccessGuard>): Response {
  try {
    guard({ header: (name) => request.headers.get(name) ?? undefined })
  } catch (error) {
    if (error instanceof HttpError) return Response.json(error.body, { status: error.status })
    throw error
  }
  const { pathname } = new URL(request.url)
  const page = Object.hasOwn(pages, pathname) ? pages[pathname] : undefined
  if (!page) return Response.json({ error: 'Not found' }, { status: 404 })
  if (request.method === 'GET' || request.method === 'HEAD') return page()
  const message = `${request.method} is not possible here. Use GET.`
  return Response.json(
    { error: 'Method not allowed', message },
    { status: 405, headers: { allow: 'GET, HEAD' } },
  )
}
