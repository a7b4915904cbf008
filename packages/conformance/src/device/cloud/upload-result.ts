import type { TestUpload } from './pending-work.ts'
import { json, type Reply } from './reply.ts'

/** The answer to a file that arrived, or to the reason why there is none. */
export function uploadResult(upload: TestUpload, fileName = 'file'): Reply {
  if (upload.error !== undefined) return json({ success: false, error: upload.error })
  return json({ success: true, fileName, fileUrl: `https://files.example/${upload.id}` })
}
