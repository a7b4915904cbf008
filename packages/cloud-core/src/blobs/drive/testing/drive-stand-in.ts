import { createHash, createPublicKey, verify, type KeyObject } from 'node:crypto'
import { http, HttpResponse, type HttpHandler } from 'msw'

/** A file of the stand-in. */
interface StoredDriveFile {
  readonly id: string
  readonly name: string
  readonly parents: readonly string[]
  readonly appProperties: Readonly<Record<string, string>>
  readonly createdTime: string
  readonly bytes: Buffer
}

/** What a test decides about one request before it is served. */
type DriveFault = (request: Request, path: string) => Response | undefined | Promise<Response | undefined>

/** Google Drive in its own wire format, as far as a store of files needs it. */
export interface DriveStandIn {
  readonly handlers: readonly HttpHandler[]
  readonly files: Map<string, StoredDriveFile>
  /** Sessions that are not over. */
  readonly sessions: ReadonlyMap<string, unknown>
  /** `METHOD path`, in order. */
  readonly calls: string[]
  fault: DriveFault
  /** Most bytes of one chunk that are kept. */
  keepAtMost: number
  /** Tokens given so far; only the last is good. */
  tokens: number
}

interface Session {
  readonly metadata: Pick<StoredDriveFile, 'name' | 'parents' | 'appProperties'>
  bytes: Buffer
}

const api = 'https://www.googleapis.com'
const chunkStep = 256 * 1024

const failure = (status: number, reason: string, message = `file notes-of-ann.txt: ${reason}`) =>
  HttpResponse.json(
    { error: { errors: [{ domain: 'global', reason, message }], code: status, message } },
    { status },
  )

/** Makes one. @param publicKey PEM of the account's key */
export function createDriveStandIn(publicKey: string, clientEmail: string): DriveStandIn {
  const key = createPublicKey(publicKey)
  const files = new Map<string, StoredDriveFile>()
  const sessions = new Map<string, Session>()
  let sessionCount = 0
  let fileCount = 0
  const drive: DriveStandIn = {
    handlers: [],
    files,
    sessions,
    calls: [],
    fault: () => undefined,
    keepAtMost: Number.POSITIVE_INFINITY,
    tokens: 0,
  }

  async function serve(request: Request): Promise<Response> {
    const url = new URL(request.url)
    const path = url.pathname
    drive.calls.push(`${request.method} ${path}`)
    const decided = await drive.fault(request, path)
    if (decided) return decided
    if (url.hostname === 'oauth2.googleapis.com')
      return giveToken(drive, request, (assertion) => problemOf(assertion, key, clientEmail))
    if (request.headers.get('authorization') !== `Bearer ya29.token${drive.tokens}`)
      return failure(401, 'authError')
    if (path.startsWith('/upload/')) return upload(request, url)
    const id = /^\/drive\/v3\/files\/([^/]+)$/.exec(path)?.[1]
    if (path === '/drive/v3/files') return list(files, url)
    const file = files.get(id ?? '')
    if (!file) return failure(404, 'notFound')
    if (request.method === 'DELETE') {
      files.delete(file.id)
      return new HttpResponse(null, { status: 204 })
    }
    return giveFile(file.bytes, request.headers.get('range'))
  }

  async function upload(request: Request, url: URL): Promise<Response> {
    if (request.method === 'POST') {
      const metadata = (await request.json()) as Session['metadata']
      if (metadata.parents[0] !== 'folder-1') return failure(404, 'notFound')
      const id = `session${(sessionCount += 1)}`
      sessions.set(id, { metadata, bytes: Buffer.alloc(0) })
      const location = `${url.origin}${url.pathname}?uploadType=resumable&upload_id=${id}`
      return new HttpResponse(null, { status: 200, headers: { location } })
    }
    const id = url.searchParams.get('upload_id') ?? ''
    const session = sessions.get(id)
    if (!session) return failure(404, 'notFound')
    if (request.method === 'DELETE') {
      sessions.delete(id)
      return new HttpResponse(null, { status: 499 })
    }
    return take(id, session, request)
  }

  async function take(id: string, session: Session, request: Request): Promise<Response> {
    const bytes = Buffer.from(await request.arrayBuffer())
    const range = request.headers.get('content-range') ?? ''
    const [, from, to, total] = /^bytes (?:(\d+)-(\d+)|\*)\/(\d+|\*)$/.exec(range) ?? []
    if (from !== undefined) {
      if (Number(from) !== session.bytes.length || Number(to) - Number(from) + 1 !== bytes.length)
        return failure(400, 'badRequest')
      if (total === '*' && bytes.length % chunkStep !== 0) return failure(400, 'badRequest')
      session.bytes = Buffer.concat([session.bytes, bytes.subarray(0, drive.keepAtMost)])
    }
    if (String(session.bytes.length) === total) return finish(id, session)
    const headers = session.bytes.length > 0 ? { range: `bytes=0-${session.bytes.length - 1}` } : undefined
    return new HttpResponse(null, { status: 308, ...(headers && { headers }) })
  }

  function finish(sessionId: string, { metadata, bytes }: Session): Response {
    const id = `drive${(fileCount += 1)}`
    files.set(id, { ...metadata, id, bytes, createdTime: new Date().toISOString() })
    sessions.delete(sessionId)
    return HttpResponse.json(describe(files.get(id)!))
  }

  const handlers = [api, 'https://oauth2.googleapis.com'].map((origin) =>
    http.all(`${origin}/*`, ({ request }) => serve(request)),
  )
  return Object.assign(drive, { handlers })
}

function giveFile(bytes: Buffer, range: string | null): Response {
  const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(range ?? '') ?? []
  const part = first === undefined ? bytes : bytes.subarray(Number(first), Number(last) + 1)
  return new HttpResponse(new Uint8Array(part), {
    status: first === undefined ? 200 : 206,
    headers: {
      'content-type': 'application/octet-stream',
      'content-length': String(part.length),
      ...(first !== undefined && { 'content-range': `bytes ${first}-${last}/${bytes.length}` }),
    },
  })
}

async function giveToken(
  drive: Pick<DriveStandIn, 'tokens'>,
  request: Request,
  check: (assertion: string) => string | undefined,
): Promise<Response> {
  const form = new URLSearchParams(await request.text())
  const problem = check(form.get('assertion') ?? '')
  if (form.get('grant_type') !== 'urn:ietf:params:oauth:grant-type:jwt-bearer' || problem !== undefined)
    return HttpResponse.json({ error: 'invalid_grant', error_description: problem }, { status: 400 })
  drive.tokens += 1
  return HttpResponse.json({
    access_token: `ya29.token${drive.tokens}`,
    expires_in: 3599,
    token_type: 'Bearer',
  })
}

function list(files: ReadonlyMap<string, StoredDriveFile>, url: URL): Response {
  const query = url.searchParams.get('q') ?? ''
  const wanted = /value='([^']*)'/.exec(query)?.[1]
  const before = /createdTime < '([^']*)'/.exec(query)?.[1]
  const found = [...files.values()].filter(
    (file) =>
      (wanted === undefined || file.appProperties['homewardBlob'] === wanted) &&
      (before === undefined || file.createdTime < before),
  )
  const start = Number(url.searchParams.get('pageToken') ?? 0)
  const page = found.slice(start, start + 2).map(describe)
  const next = start + 2 < found.length ? { nextPageToken: String(start + 2) } : {}
  return HttpResponse.json({ files: page, ...next })
}

function describe({ id, bytes, appProperties }: StoredDriveFile) {
  return {
    id,
    size: String(bytes.length),
    md5Checksum: createHash('md5').update(bytes).digest('hex'),
    webViewLink: `https://drive.google.com/file/d/${id}/view?usp=drivesdk`,
    appProperties,
  }
}

/** What is wrong with a signed assertion; undefined when it is as Google wants it. */
function problemOf(assertion: string, key: KeyObject, clientEmail: string): string | undefined {
  const [head = '', body = '', signature = ''] = assertion.split('.')
  const isSigned = verify('sha256', Buffer.from(`${head}.${body}`), key, Buffer.from(signature, 'base64url'))
  if (!isSigned) return 'Invalid JWT Signature.'
  const claims = JSON.parse(Buffer.from(body, 'base64url').toString()) as Record<string, unknown>
  if (claims['iss'] !== clientEmail || claims['aud'] !== 'https://oauth2.googleapis.com/token')
    return 'Invalid issuer or audience.'
  if (Number(claims['exp']) - Number(claims['iat']) !== 3600) return 'Invalid lifetime.'
  return undefined
}
