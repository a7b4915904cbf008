import type { Dashboard } from './dashboard.ts'
import type { DashboardFile, DashboardFiles } from './dashboard-files.ts'

/**
 * Answers what of the dashboard a request asks for: a file of the build, or the page itself for every address that a
 * browser opens, so that a link to a place within it can be kept and opened again.
 *
 * @returns undefined when it asks for something else.
 */
export function showDashboard(dashboard: Dashboard, request: Request): Response | undefined {
  const { pathname } = new URL(request.url)
  const isAsset = pathname.startsWith('/assets/')
  if (!isAsset && pathname !== '/' && !isNavigation(request)) return undefined
  const state = dashboard.state()
  if (state.kind === 'ready') return showFile(state.files, isAsset ? pathname : '/index.html', request)
  if (isAsset) return undefined
  return state.kind === 'building' ? building() : failed(state.reason)
}

/** Whether a browser opens the address, rather than a program or a page asking for data. */
function isNavigation({ headers }: Request): boolean {
  return headers.get('accept')?.includes('text/html') === true
}

function showFile(files: DashboardFiles, path: string, request: Request): Response | undefined {
  const file = files.get(path)
  if (file === undefined) return undefined
  // The name of an asset holds a hash of its content; the page has to be asked for again, and is small.
  const cacheControl = path.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache'
  const headers = { etag: file.etag, 'cache-control': cacheControl, vary: 'accept-encoding' }
  if (isKnown(file, request)) return new Response(null, { status: 304, headers })
  const takesGzip = /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?(?:,|$))/i.test(
    request.headers.get('accept-encoding') ?? '',
  )
  return new Response(takesGzip ? file.gzipped : file.content, {
    headers: {
      ...headers,
      'content-type': file.contentType,
      ...(takesGzip && { 'content-encoding': 'gzip' }),
    },
  })
}

function isKnown({ etag }: DashboardFile, { headers }: Request): boolean {
  const known = headers.get('if-none-match')?.split(',') ?? []
  return known.some((each) => each.trim().replace(/^W\//, '') === etag)
}

const refreshAfterSeconds = 2

function building(): Response {
  const text = 'The first build takes some seconds. The dashboard appears here when the build is done.'
  const seconds = String(refreshAfterSeconds)
  return page('The dashboard is being built', text, { 'retry-after': seconds, refresh: seconds })
}

function failed(reason: string): Response {
  const text = `The APIs of this server work without the dashboard. Restart the server to build it again.\n\n${reason}`
  return page('The dashboard could not be built', text, {})
}

/** A page without style or script: the policy allows none that is not a file of the build. */
function page(title: string, text: string, headers: Readonly<Record<string, string>>): Response {
  const html =
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="color-scheme" content="light dark">` +
    `<title>${title}</title></head><body><h1>${title}</h1><pre>${escapeHtml(text)}</pre></body></html>\n`
  const own = { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' }
  return new Response(html, { status: 503, headers: { ...own, ...headers } })
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
