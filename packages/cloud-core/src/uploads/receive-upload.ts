import { UploadFields, type UploadResult } from '@homeward/contract/device-cloud'
import {
  checkContentLength,
  describeIssues,
  describeIssue,
  validationError,
  type RequestView,
} from '@homeward/contract/handler'
import * as z from 'zod/mini'
import type { UploadContext } from './upload-context.ts'
import type { StoredDevice } from '../ports/device-store.ts'
import type { StoredFile, UploadOutcome } from '../ports/upload-store.ts'
import {
  AlreadyOver,
  createAttempt,
  guardUpload,
  leaseUpload,
  releaseUpload,
  type UploadAttempt,
} from './upload-attempt.ts'
import { toPlainFileName, toBase64Url } from '@homeward/kit'
import { readForm, type FormPart } from './read-form.ts'
import { noteRefusal, settleAttempt, toRefused, toUploadResult } from './settle-attempt.ts'
import { countBytes } from './upload-progress.ts'

/** Room for the other parts and their headers. */
const formOverheadBytes = 64 * 1024

/**
 * Takes a file, or the reason why there is none (C4, C6, C12, C18). Parts may come in any order: a file that comes
 * before its `requestId` is stored under a fresh id and becomes part of the request only when it is settled.
 */
export function createUploadReceiver(context: UploadContext) {
  const { blobs, maxUploadBytes, progress } = context

  return async (device: StoredDevice, request: RequestView, origin: string): Promise<UploadResult> => {
    checkContentLength(request, 'The upload', maxUploadBytes + formOverheadBytes)
    await context.quotas.assertRoom(device.owner, 'storedBytes', 'Storing the file')
    context.leftovers.noteUpload()
    const blobId = toBase64Url(context.randomBytes(32))
    const attempt = createAttempt(device, origin, blobId)
    try {
      for await (const part of readForm(request, maxUploadBytes + formOverheadBytes, 'file'))
        await take(attempt, part)
      return await settle(attempt)
    } catch (error) {
      if (error instanceof AlreadyOver) return toUploadResult(context, error.outcome, origin)
      await releaseUpload(context, attempt).catch(context.onError)
      throw error
    } finally {
      if (attempt.file) await blobs.delete(blobId).catch(context.onError)
    }
  }

  async function take(attempt: UploadAttempt, part: FormPart): Promise<void> {
    if (part.kind === 'field') {
      if (attempt.fields.has(part.name))
        throw validationError(`${part.name}: must be given only once in the form`)
      attempt.fields.set(part.name, part.value)
      if (part.name === 'requestId') checkRequestId(part.value)
    } else if (part.name === 'file') {
      if (attempt.file || attempt.refusal) throw validationError('file: must be given only once in the form')
      // The rest of the form tells which request it was: that one fails.
      await storeFile(attempt, part).catch((error: unknown) => noteRefusal(attempt, error))
    }
  }

  async function storeFile(attempt: UploadAttempt, part: FormPart & { kind: 'file' }): Promise<void> {
    const requestId = attempt.fields.get('requestId')
    const filePath = requestId === undefined ? undefined : await leaseUpload(context, attempt, requestId)
    const sentName = part.fileName === '' ? undefined : part.fileName
    const fileName = toPlainFileName(sentName ?? filePath ?? '')
    const guarded = guardUpload(context, attempt, part.content)
    const content = requestId === undefined ? guarded : showProgress(requestId, guarded)
    try {
      const { size, links } = await blobs.put({ id: attempt.blobId, fileName, content })
      attempt.file = { blobId: attempt.blobId, fileName, size, links }
    } finally {
      if (requestId !== undefined) progress.end(requestId)
    }
  }

  function showProgress(requestId: string, content: AsyncIterable<Uint8Array>) {
    progress.begin(requestId, { receivedBytes: 0 })
    return countBytes(content, (bytes) => progress.add(requestId, bytes))
  }

  async function settle(attempt: UploadAttempt): Promise<UploadResult> {
    const parsed = z.safeParse(UploadFields, Object.fromEntries(attempt.fields), { error: describeIssue })
    if (!parsed.success) throw validationError(describeIssues(parsed.error.issues, 'form'))
    const { requestId: id, error } = parsed.data
    const outcome = attempt.refusal ? toRefused(context, attempt.refusal) : toOutcome(attempt.file, error)
    if (attempt.file || attempt.refusal) await leaseUpload(context, attempt, id)
    const settled = await settleAttempt(context, attempt, id, outcome)
    await context.chunkSessions?.drop(attempt.device.id, id).catch(context.onError)
    return settled
  }
}

/** Before a file is taken for it: an id that cannot be one is an error of the form, and not a request that is missing. */
function checkRequestId(requestId: string): void {
  const parsed = z.safeParse(
    z.pick(UploadFields, { requestId: true }),
    { requestId },
    { error: describeIssue },
  )
  if (!parsed.success) throw validationError(describeIssues(parsed.error.issues, 'form'))
}

function toOutcome(file: StoredFile | undefined, error: string | undefined): UploadOutcome {
  if (file) return { status: 'completed', file }
  const reason = error?.trim() ?? ''
  if (reason === '') throw validationError('file: is missing. Send the file, or a non-empty error.')
  return { status: 'failed', error: reason }
}
