import { answerChunked } from './answer-chunked.ts'
import { readForm } from './read-form.ts'
import type { PendingWork } from './pending-work.ts'
import { failure, json, type Reply } from './reply.ts'
import { objectOf, type SeenRequest } from './seen-request.ts'
import { uploadResult } from './upload-result.ts'

/** Most requests that a list holds (C11). */
const listLimit = 20

/** What a test cloud answers with. */
interface AnswerSetup {
  readonly work: PendingWork
  readonly key: string
  /** Offered with the list of uploads; undefined to offer no chunks. */
  readonly chunkBytes: () => number | undefined
  /** Whether there is a request for all work. */
  readonly offersWork: () => boolean
}

/** What a cloud answers that does everything right. Lists are not held here. */
export async function answer(request: SeenRequest, setup: AnswerSetup): Promise<Reply> {
  if (request.headers.authorization !== `Bearer ${setup.key}`)
    return failure(401, 'Invalid or missing API key')
  const { operation } = request
  if (operation === 'heartbeat') return json({ success: true, status: 'online' })
  if (operation === 'searches' || operation === 'uploads') return answerList(operation, setup)
  if (operation === 'report') return answerReport(request, setup.work)
  if (operation === 'upload') return answerUpload(request, setup.work)
  if (operation === 'work' && setup.offersWork()) return answerWork(request, setup)
  if (operation === 'unknown' || operation === 'work') return failure(404, 'Not found')
  return answerChunked(request, setup.work)
}

/** What the agent does not have yet. */
function answerWork(request: SeenRequest, setup: AnswerSetup): Reply {
  const { working } = objectOf(request)
  const held = new Set(Array.isArray(working) ? working : [])
  const rowsOf = (list: Reply) =>
    (JSON.parse(list.body.toString()) as { requests: { id: string }[] }).requests.filter(
      ({ id }) => !held.has(id),
    )
  const uploads = answerList('uploads', setup)
  return json(
    {
      searches: rowsOf(answerList('searches', setup)),
      uploads: rowsOf(uploads),
      now: new Date().toISOString(),
    },
    200,
    uploads.headers,
  )
}

function answerList(operation: 'searches' | 'uploads', { work, chunkBytes }: AnswerSetup): Reply {
  if (operation === 'searches') {
    const waiting = [...work.searches.values()].filter(({ settled }) => !settled)
    return json({
      requests: waiting
        .slice(0, listLimit)
        .map(({ id, query, scope, selection, createdAt }) => ({ id, query, scope, ...selection, createdAt })),
    })
  }
  const waiting = [...work.uploads.values()].filter(({ settled }) => !settled)
  const requests = waiting
    .slice(0, listLimit)
    .map(({ id, filePath, createdAt }) => ({ id, filePath, destination: 'cloud', createdAt }))
  const bytes = chunkBytes()
  return json({ requests }, 200, bytes === undefined ? {} : { 'upload-chunk-bytes': String(bytes) })
}

function answerReport(request: SeenRequest, work: PendingWork): Reply {
  const report = objectOf(request)
  const search = work.searches.get(String(report['queryId']))
  if (!search) return failure(404, 'Search query not found')
  search.reports.push(report)
  search.settled = true
  const error = report['error']
  const outcome =
    typeof error === 'string' && error.trim() !== ''
      ? { success: false, status: 'failed', error }
      : { success: true, status: 'completed' }
  return json({ queryId: search.id, ...outcome })
}

async function answerUpload(request: SeenRequest, work: PendingWork): Promise<Reply> {
  const form = await readForm(request.headers['content-type'] ?? '', request.body)
  const invalid = (message: string) => json({ error: 'Validation error', message }, 400)
  if (!form) return invalid('the body must be a well-formed multipart/form-data')
  const upload = work.uploads.get(form.requestId ?? '')
  if (!upload) return failure(404, 'Upload request not found')
  if (!form.file && !form.error) return invalid('the form needs the part "file" or the part "error"')
  upload.forms.push(form)
  if (!upload.settled) {
    upload.content = form.file?.bytes
    upload.error = form.error
    upload.settled = true
  }
  return uploadResult(upload, form.file?.name)
}
