import { DocumentInput, DocumentUpload, maxDocumentBytes } from '@homeward/contract/agent-platform'
import {
  describeIssues,
  payloadTooLarge,
  validationError,
  type RequestView,
} from '@homeward/contract/handler'
import * as z from 'zod/mini'
import type { DocumentFiles, UploadedFile } from '../knowledge/knowledge.ts'
import { readArrivals, type Arrival } from './read-form.ts'

/** Files of one form. */
const maxFiles = 100
const maxRequestBytes = 256 * 1024

/**
 * Reads a form of documents as it arrives: parts `file`, and at most one part `request` with JSON about all of them, before or behind
 * the files.
 *
 * @throws {HttpError} while the files are read: 413 for a large file, 400 for a broken form.
 */
export function readDocumentForm(request: RequestView): DocumentFiles {
  let given: unknown = {}

  async function* read(): AsyncGenerator<UploadedFile, void> {
    const arrivals = readArrivals(request, {
      maxParts: maxFiles + 1,
      maxFieldBytes: maxRequestBytes,
      maxBytes: maxFiles * maxDocumentBytes,
      onField(name, text) {
        if (name === 'request') given = toJson(text)
      },
    })
    for (let next = await arrivals.next(); !next.done; next = await arrivals.next()) {
      if (next.value.kind !== 'file') continue
      const { mediaType } = next.value
      const name = toName(next.value.name)
      const content = readFile(arrivals)
      yield { name, mediaType, content }
      // what was not read of it
      for await (const _ of content);
    }
  }

  return {
    files: read(),
    about() {
      const parsed = z.safeParse(DocumentUpload, given)
      if (parsed.success) return parsed.data
      throw validationError(describeIssues(parsed.error.issues, 'request'))
    },
  }
}

async function* readFile(arrivals: AsyncGenerator<Arrival>): AsyncGenerator<Uint8Array, void> {
  let size = 0
  for (let next = await arrivals.next(); !next.done; next = await arrivals.next()) {
    if (next.value.kind === 'file-end') return
    if (next.value.kind !== 'chunk') continue
    size += next.value.chunk.length
    if (size > maxDocumentBytes) throw payloadTooLarge('A file', maxDocumentBytes)
    yield next.value.chunk
  }
}

/** A file of a form is named as one of a JSON request. */
function toName(given: string): string {
  const parsed = z.safeParse(DocumentInput.shape.name, given)
  if (parsed.success) return parsed.data
  throw validationError(describeIssues(parsed.error.issues, 'filename'))
}

function toJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw validationError('request: not valid JSON')
  }
}
