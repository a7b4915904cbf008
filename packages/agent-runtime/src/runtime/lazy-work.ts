import { once } from '../concurrency/once.ts'
import type { Embedder } from '../memory/embedder.ts'
import type { Logger } from '../ports/logger.ts'
import type { RunsOptions } from '../runs/runs-options.ts'
import type { RuntimeStore } from '../store/ports/runtime-store.ts'
import { givenOptions } from './given-options.ts'
import type { RuntimeOptions } from './runtime-options.ts'

/** Collections of documents, and the worker that reads them, loaded when they are needed first. */
export function createKnowledgeWork({ options, ...parts }: KnowledgeParts) {
  const works = options.workers?.concurrency !== 0
  const opened = once(async () => {
    const { openKnowledge } = await import('../knowledge/open-knowledge.ts')
    return openKnowledge({ ...parts, ...givenOptions(options, ['leaseMs']), works, owner: parts.createId() })
  })
  return {
    collections: async () => (await opened()).collections,
    start: async () => (works ? (await opened()).worker.start() : undefined),
    close: async () => (await opened.begun())?.worker.close(),
  }
}

interface KnowledgeParts {
  readonly options: RuntimeOptions
  readonly store: RuntimeStore
  readonly embedder: Embedder | undefined
  readonly logger: Logger
  readonly now: () => number
  readonly createId: () => string
}

/** What-ifs, and the worker that plays their runs, loaded when they are needed first. */
export function createWhatIfWork(
  { options, logger, now, createId }: Pick<KnowledgeParts, 'options' | 'logger' | 'now' | 'createId'>,
  runs: RunsOptions,
  store: RuntimeStore,
) {
  const works = options.workers?.concurrency !== 0
  const opened = once(async () => {
    const { openWhatIfs } = await import('../what-if/open-what-ifs.ts')
    const findAgent = (id: string) => runs.agents.find(id)
    const parts = { store, runs, findAgent, works, logger, now, createId }
    return openWhatIfs({ ...parts, owner: createId(), ...givenOptions(options, ['leaseMs']) })
  })
  return {
    whatIfs: async () => (await opened()).whatIfs,
    start: async () => (works ? (await opened()).start() : undefined),
    close: async () => (await opened.begun())?.close(),
  }
}
