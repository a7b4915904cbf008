import { createHash, randomUUID } from 'node:crypto'
import type { UploadForm } from './read-form.ts'

/** A search that the cloud has for the agent. */
export interface TestSearch {
  readonly id: string
  readonly query: string
  readonly scope: readonly string[]
  /** What it selects: `where`, `sort` and `limit`. */
  readonly selection: object
  readonly createdAt: string
  /** Bodies of all reports that the cloud acknowledged or refused, in order. */
  readonly reports: Readonly<Record<string, unknown>>[]
  settled: boolean
}

/** A chunked upload under way. */
export interface TestPlan {
  readonly fileName: string
  readonly size: number
  readonly chunkBytes: number
  readonly digests: readonly string[]
  readonly chunks: Map<number, Buffer>
}

/** A file that the cloud asks the agent for. */
export interface TestUpload {
  readonly id: string
  readonly filePath: string
  readonly createdAt: string
  /** What came as a form, in order. */
  readonly forms: UploadForm[]
  plan: TestPlan | undefined
  /** The whole file, from a form or from chunks. */
  content: Buffer | undefined
  error: string | undefined
  settled: boolean
}

/** What waits for the agent. */
export interface PendingWork {
  readonly searches: ReadonlyMap<string, TestSearch>
  readonly uploads: ReadonlyMap<string, TestUpload>
  addSearch(query: string, scope?: readonly string[], selection?: object): TestSearch
  addUpload(filePath: string): TestUpload
  /** Forgets everything. */
  clear(): void
}

/** Builds the work of a test cloud. `createdAt` is off by `clockOffsetMs`. */
export function createPendingWork(clockOffsetMs: () => number, onAdded: () => void): PendingWork {
  const searches = new Map<string, TestSearch>()
  const uploads = new Map<string, TestUpload>()
  const createdAt = () => new Date(Date.now() + clockOffsetMs()).toISOString()
  return {
    searches,
    uploads,
    addSearch(query, scope = ['files'], selection = {}) {
      const search: TestSearch = {
        id: randomUUID(),
        query,
        scope,
        selection,
        createdAt: createdAt(),
        reports: [],
        settled: false,
      }
      searches.set(search.id, search)
      onAdded()
      return search
    },
    addUpload(filePath) {
      const upload: TestUpload = {
        id: randomUUID(),
        filePath,
        createdAt: createdAt(),
        forms: [],
        plan: undefined,
        content: undefined,
        error: undefined,
        settled: false,
      }
      uploads.set(upload.id, upload)
      onAdded()
      return upload
    },
    clear() {
      searches.clear()
      uploads.clear()
    },
  }
}

/** SHA-256 in base64, as plans and `Content-Digest` write it. */
export const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('base64')
