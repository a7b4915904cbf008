import { HttpError, type PlainReply } from '@homeward/contract/handler'
import type { CloudContext, UserCall } from '../cloud-context.ts'
import { attachmentHeader } from './plain-file-name.ts'

/** What users do with stored files. */
export function createFileDownload({ store, blobs, audit }: CloudContext) {
  async function download(call: UserCall, blobId: string): Promise<PlainReply> {
    const file = await store.findFile(call.userId, blobId)
    const blob = file && (await blobs.open(blobId))
    if (!file || !blob) throw new HttpError(404, { error: 'File not found' })
    const subject = { subjectId: blobId, name: file.fileName }
    await audit.record([audit.entryOf(call, 'file:downloaded', subject)]).catch(async (error: unknown) => {
      await blob.content.cancel().catch(() => {})
      throw error
    })
    return {
      status: 200,
      body: blob.content,
      headers: {
        'content-type': 'application/octet-stream',
        'content-length': String(blob.size),
        'content-disposition': attachmentHeader(file.fileName),
        'content-security-policy': "sandbox; default-src 'none'",
        'cross-origin-resource-policy': 'same-origin',
        'cache-control': 'private, no-store',
      },
    }
  }

  return {
    /** Opens an uploaded file of this user, always as an attachment that no browser renders. */
    downloadFile: (call: UserCall, blobId: string) =>
      audit.watch(call, 'file:downloaded', { subjectId: blobId }, () => download(call, blobId)),
  }
}
