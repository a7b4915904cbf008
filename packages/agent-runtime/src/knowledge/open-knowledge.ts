import { createDocumentReader } from '@homeward/kit/documents'
import type { Embedder } from '../memory/embedder.ts'
import type { Logger } from '../ports/logger.ts'
import type { RuntimeStore } from '../store/ports/runtime-store.ts'
import { createKnowledge } from './create-knowledge.ts'
import { createDocumentWorker, type DocumentWorker } from './document-worker.ts'
import type { Knowledge } from './knowledge.ts'

/** What {@link openKnowledge} works with. */
interface KnowledgeWork {
  readonly store: RuntimeStore
  readonly embedder: Embedder | undefined
  /** Whether this process reads documents, from the first one that it is given. */
  readonly works: boolean
  readonly owner: string
  readonly leaseMs?: number
  readonly logger: Logger
  readonly now: () => number
  readonly createId: () => string
}

/** Longest time for reading one document, in milliseconds. */
const maxReadMs = 120_000
const maxTextChars = 20_000_000
const maxMemoryBytes = 536_870_912

/** The service of collections, and the worker that reads their documents. */
export function openKnowledge(work: KnowledgeWork): {
  readonly collections: Knowledge
  readonly worker: DocumentWorker
} {
  const { store, embedder, works, leaseMs = 20_000, now, createId } = work
  const reader = createDocumentReader({ maxMs: maxReadMs, maxChars: maxTextChars, maxMemoryBytes })
  const worker = createDocumentWorker({ ...work, leaseMs, reader, isShared: store.isDurable })
  const onChange = () => {
    if (!works) return
    worker.start()
    worker.wake()
  }
  return { collections: createKnowledge({ store, embedder, onChange, now, createId }), worker }
}
