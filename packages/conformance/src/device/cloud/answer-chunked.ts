import { type PendingWork, sha256, type TestPlan, type TestUpload } from './pending-work.ts'
import { failure, json, type Reply } from './reply.ts'
import { objectOf, type SeenRequest } from './seen-request.ts'
import { uploadResult } from './upload-result.ts'

const invalid = (message: string) => json({ error: 'Validation error', message }, 400)

/** What a cloud answers that offers uploads that resume (C25). */
export function answerChunked(request: SeenRequest, work: PendingWork): Reply {
  const [id = '', , index = ''] = (request.url.split('/uploads/')[1] ?? '').split('/')
  const upload = work.uploads.get(decodeURIComponent(id))
  if (!upload) return failure(404, 'Upload request not found')
  if (request.operation === 'plan') return answerPlan(request, upload)
  if (request.operation === 'chunk') return answerChunk(request, upload, Number(index))
  if (request.operation === 'complete') return answerComplete(upload)
  return progress(upload)
}

const progress = (upload: TestUpload) =>
  json({
    id: upload.id,
    received: [...(upload.plan?.chunks.keys() ?? [])].toSorted((a, b) => a - b),
    settled: upload.settled,
  })

function answerPlan(request: SeenRequest, upload: TestUpload): Reply {
  const { fileName, size, chunkBytes, digests } = objectOf(request)
  if (typeof fileName !== 'string') return invalid('"fileName" must be a string')
  if (typeof size !== 'number' || typeof chunkBytes !== 'number') {
    return invalid('"size" and "chunkBytes" must be numbers')
  }
  if (!Array.isArray(digests) || digests.length !== Math.ceil(size / chunkBytes)) {
    return invalid('"digests" must hold the SHA-256 of every chunk')
  }
  const plan: TestPlan = { fileName, size, chunkBytes, digests: digests.map(String), chunks: new Map() }
  const isSame =
    upload.plan?.size === size &&
    upload.plan.chunkBytes === chunkBytes &&
    upload.plan.digests.join() === plan.digests.join()
  if (!isSame) upload.plan = plan
  return progress(upload)
}

function answerChunk(request: SeenRequest, { plan }: TestUpload, index: number): Reply {
  if (!plan || index >= plan.digests.length) return failure(404, 'Chunk not found')
  const digest = plan.digests[index] ?? ''
  if (request.headers['content-digest'] !== `sha-256=:${digest}:`) {
    return invalid('"Content-Digest" must be the digest of the plan')
  }
  if (sha256(request.body) !== digest) return invalid('the bytes must be those of the digest')
  plan.chunks.set(index, request.body)
  return json({ success: true, index })
}

function answerComplete(upload: TestUpload): Reply {
  if (upload.settled) return uploadResult(upload, upload.plan?.fileName)
  const { plan } = upload
  if (!plan || plan.chunks.size < plan.digests.length) return failure(409, 'Chunks are missing')
  const chunks = [...plan.chunks].toSorted(([a], [b]) => a - b).map(([, bytes]) => bytes)
  upload.content = Buffer.concat(chunks)
  upload.settled = true
  return uploadResult(upload, plan.fileName)
}
